import { ZERO_OID } from '../../git/oid.ts';
import type { Repo } from '../../records/repository.ts';
import { mergedTree } from '../../refs/merge-commits.ts';

const IDENTITY = 'GitHub <noreply@github.com>';

/**
 * The test merge of a pull request, kept at `refs/pull/<n>/merge`: what its workflows run on. Null when the two
 * conflict: GitHub starts no run then. The time is the caller's, in milliseconds.
 */
export async function makeTestMerge(
  repo: Repo,
  pull: { readonly number: number; readonly base: string; readonly head: string },
  now: number,
): Promise<string | null> {
  const { git } = repo;
  const tree = await mergedTree(git, pull.base, pull.head);
  if (tree === null) return null;
  const stamp = `${IDENTITY} ${Math.floor(now / 1000)} +0000`;
  const lines = [
    `tree ${tree}`,
    `parent ${pull.base}`,
    `parent ${pull.head}`,
    `author ${stamp}`,
    `committer ${stamp}`,
    '',
    `Merge ${pull.head} into ${pull.base}\n`,
  ];
  const commit = git.write('commit', Buffer.from(lines.join('\n')));
  const ref = `refs/pull/${pull.number}/merge`;
  await git.moveRefs([{ ref, before: (await git.ref(ref)) ?? ZERO_OID, after: commit }]);
  return commit;
}
