import type { GitRepository } from '../git/repository.ts';
import type { User } from '../records/identity.ts';

/** Tree of a true three-way merge of two commits, or null when they conflict or share no history. */
export async function mergedTree(git: GitRepository, ours: string, theirs: string): Promise<string | null> {
  const run = await git.run(['merge-tree', '--write-tree', ours, theirs]);
  return run.code === 0 ? run.stdout.toString('utf8').split('\n')[0]! : null;
}

/** Writes a commit as GitHub does on somebody's behalf: they are its author, GitHub its committer. `at` in milliseconds. */
export async function commitFor(
  git: GitRepository,
  author: User,
  at: number,
  commit: { readonly tree: string; readonly parents: readonly string[]; readonly message: string },
): Promise<string> {
  const date = `${Math.floor(at / 1000)} +0000`;
  const env = {
    GIT_AUTHOR_NAME: author.login,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: 'GitHub',
    GIT_COMMITTER_EMAIL: 'noreply@github.com',
    GIT_COMMITTER_DATE: date,
  };
  const parents = commit.parents.flatMap((oid) => ['-p', oid]);
  const input = commit.message.endsWith('\n') ? commit.message : `${commit.message}\n`;
  const run = await git.run(['commit-tree', commit.tree, ...parents, '-F', '-'], { env, input });
  if (run.code !== 0) throw new Error(`git commit-tree failed: ${run.stderr}`);
  return run.stdout.toString('utf8').trim();
}

/** True when the first commit can be reached from the second. */
export async function isAncestor(git: GitRepository, ancestor: string, of: string): Promise<boolean> {
  return (await git.run(['merge-base', '--is-ancestor', ancestor, of])).code === 0;
}
