import { logCommits } from '../git/commit-log.ts';
import type { Repo } from '../records/repository.ts';

export async function commitNode(repo: Repo, oid: string): Promise<object | null> {
  const [commit] = await logCommits(repo.git, [oid], {}, 1);
  if (!commit) return null;
  return {
    __typename: 'Commit',
    id: `C_${oid}`,
    oid,
    message: commit.message,
    committedDate: new Date(commit.committer.date).toISOString().replace('.000', ''),
  };
}

/** `Ref` of a full name. */
export function refNode(repo: Repo, ref: string, oid: string): object {
  const prefix = /^refs\/[^/]+\//.exec(ref)?.[0] ?? 'refs/';
  return {
    __typename: 'Ref',
    id: `REF_${Buffer.from(ref).toString('base64url')}`,
    name: ref.slice(prefix.length),
    prefix,
    target: () => commitNode(repo, oid),
  };
}
