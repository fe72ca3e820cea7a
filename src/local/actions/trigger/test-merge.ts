import type { Repo } from '../../records/repository.ts';

const IDENTITY = {
  GIT_AUTHOR_NAME: 'GitHub',
  GIT_AUTHOR_EMAIL: 'noreply@github.com',
  GIT_COMMITTER_NAME: 'GitHub',
  GIT_COMMITTER_EMAIL: 'noreply@github.com',
};

/**
 * The test merge of a pull request, kept at `refs/pull/<n>/merge`: what its workflows run on. Null when the two
 * conflict: GitHub starts no run then. The time is the caller's, in milliseconds.
 */
export async function makeTestMerge(
  repo: Repo,
  pull: { readonly number: number; readonly base: string; readonly head: string },
  now: number,
): Promise<string | null> {
  const merged = await repo.git.run(['merge-tree', '--write-tree', pull.base, pull.head]);
  if (merged.code !== 0) return null;
  const tree = merged.stdout.toString('utf8').split('\n')[0]!;
  const date = `${Math.floor(now / 1000)} +0000`;
  const message = `Merge ${pull.head} into ${pull.base}`;
  const made = await repo.git.run(['commit-tree', tree, '-p', pull.base, '-p', pull.head, '-m', message], {
    env: { ...IDENTITY, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
  });
  const commit = made.stdout.toString('utf8').trim();
  await repo.git.run(['update-ref', `refs/pull/${pull.number}/merge`, commit]);
  return commit;
}
