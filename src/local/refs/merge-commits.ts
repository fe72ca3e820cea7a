import type { GitRepository } from '../git/repository.ts';
import type { User } from '../records/identity.ts';

/** Tree of a true three-way merge of two commits, or null when they conflict or share no history. */
export async function mergedTree(git: GitRepository, ours: string, theirs: string): Promise<string | null> {
  const known = await containing(git, ours, theirs);
  if (known !== null) return known;
  const run = await git.run(['merge-tree', '--write-tree', ours, theirs]);
  return run.code === 0 ? run.stdout.toString('utf8').split('\n')[0]! : null;
}

/** Of two commits one of which contains the other, the tree of that one: nothing changed on the other side. */
async function containing(git: GitRepository, ours: string, theirs: string): Promise<string | null> {
  for (const [old, now] of [
    [ours, theirs],
    [theirs, ours],
  ] as const)
    if (await git.history.isAncestor(old, now)) return (await git.history.commit(now))?.tree ?? null;
  return null;
}

/** Writes a commit as GitHub does on somebody's behalf: they are its author, GitHub its committer. `at` in milliseconds. */
export function commitFor(
  git: GitRepository,
  author: User,
  at: number,
  commit: { readonly tree: string; readonly parents: readonly string[]; readonly message: string },
): string {
  const stamp = `${Math.floor(at / 1000)} +0000`;
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((oid) => `parent ${oid}`),
    `author ${author.login} <${author.email}> ${stamp}`,
    `committer GitHub <noreply@github.com> ${stamp}`,
    '',
    commit.message.endsWith('\n') ? commit.message : `${commit.message}\n`,
  ];
  return git.write('commit', Buffer.from(lines.join('\n')));
}
