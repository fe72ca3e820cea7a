import type { Repo } from '../../records/repository.ts';
import type { HeadCommit } from '../runs/records.ts';

interface Person {
  readonly name: string;
  readonly email: string;
  readonly timestamp: string;
}

function person(line: string | undefined): Person {
  const match = /^\w+ (.*?) ?<(.*?)> (\d+)/.exec(line ?? '');
  return {
    name: match?.[1] ?? '',
    email: match?.[2] ?? '',
    timestamp: new Date(Number(match?.[3] ?? 0) * 1000).toISOString(),
  };
}

/** Reads a commit of a repository, or null when there is none by that id. */
export async function readHeadCommit(repo: Repo, sha: string): Promise<HeadCommit | null> {
  const object = await repo.git.object(`${sha}^{commit}`);
  if (object === null) return null;
  const text = object.content.toString('utf8');
  const end = text.indexOf('\n\n');
  const lines = text.slice(0, end).split('\n');
  const line = (name: string) => lines.find((one) => one.startsWith(`${name} `));
  const author = person(line('author'));
  const committer = person(line('committer'));
  return {
    id: object.oid,
    treeId: line('tree')?.slice(5) ?? '',
    message: text.slice(end + 2).replace(/\n$/, ''),
    timestamp: committer.timestamp,
    author: { name: author.name, email: author.email },
    committer: { name: committer.name, email: committer.email },
  };
}
