import type { CommitObject } from './commit-object.ts';
import type { History, ObjectSource } from './history.ts';
import { isOid } from './oid.ts';
import type { GitRepository } from './repository.ts';
import { changesOf } from './tree-changes.ts';

export interface Signature {
  readonly name: string;
  readonly email: string;
  /** ISO 8601 with the offset that was committed. */
  readonly date: string;
}

export interface LoggedCommit {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
  /** Paths the commit itself changes; of a merge only those that differ from every parent. */
  readonly changes: readonly { readonly status: string; readonly path: string }[];
}

const FORMAT = ['%H', '%T', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B'].join('%x00');

/** What sees a push that is not judged yet: its objects, and the environment for git. */
export interface Look {
  readonly env: Readonly<Record<string, string>>;
  readonly history: History;
  readonly source: ObjectSource;
  /** What all refs name, looked up once for many updates; read anew for each unless given. */
  readonly tips: () => Promise<ReadonlySet<string>>;
}

/**
 * Commits of a range (`['new', '--not', '--all']`, `['old..new']`), oldest first, with the paths each changes; at most
 * `limit` of them, the newest. Walks objects itself where it can, and asks git for the rest.
 */
export async function logCommits(
  git: GitRepository,
  range: readonly string[],
  look: Partial<Look> = {},
  limit = 2_048,
): Promise<LoggedCommit[]> {
  return (await walkCommits(git, range, look, limit)) ?? askGit(git, range, look.env ?? {}, limit);
}

async function walkCommits(
  git: GitRepository,
  range: readonly string[],
  { history = git.history, source = git, tips = () => git.tips() }: Partial<Look>,
  limit: number,
): Promise<LoggedCommit[] | null> {
  const commits = await commitsOf(history, tips, range, limit);
  if (commits === null) return null;
  const logged: LoggedCommit[] = [];
  for (const commit of commits.slice(-limit)) {
    const changes = await changesOf(source, commit);
    if (changes === null) return null;
    const { oid, tree, parents, author, committer, message } = commit;
    logged.push({ oid, tree, parents, author, committer, message, changes });
  }
  return logged;
}

async function commitsOf(
  history: History,
  tips: Look['tips'],
  range: readonly string[],
  limit: number,
): Promise<CommitObject[] | null> {
  const [first = '', not, ...others] = range;
  if (range.length === 1 && limit === 1 && isOid(first)) {
    const commit = await history.commit(first);
    return commit && [commit];
  }
  const [before = '', after = ''] = first.split('..');
  if (range.length === 1 && isOid(before) && isOid(after)) return history.between(after, [before]);
  if (!isOid(first) || not !== '--not' || others.at(-1) !== '--all') return null;
  const known = others.slice(0, -1);
  if (!known.every(isOid)) return null;
  const held = await tips();
  return held.has(first) ? [] : history.between(first, [...known, ...held]);
}

async function askGit(
  git: GitRepository,
  range: readonly string[],
  env: Readonly<Record<string, string>>,
  limit: number,
): Promise<LoggedCommit[]> {
  const run = await git.run(
    [
      'log',
      '--reverse',
      '--topo-order',
      '-c',
      '--root',
      '--no-renames',
      '--name-status',
      `--max-count=${limit}`,
      `--format=%x01${FORMAT}%x02`,
      ...range,
      '--',
    ],
    { env },
  );
  return run.stdout.toString('utf8').split('\x01').slice(1).map(parseCommit);
}

function parseCommit(text: string): LoggedCommit {
  const [head = '', tail = ''] = text.split('\x02');
  const f = head.split('\0');
  const changes = [...tail.matchAll(/^([A-Z]+)\t(.+)$/gm)].map((m) => ({
    status: m[1]![0]!,
    path: unquote(m[2]!),
  }));
  return {
    oid: f[0]!,
    tree: f[1]!,
    parents: f[2] === '' ? [] : f[2]!.split(' '),
    author: { name: f[3]!, email: f[4]!, date: f[5]! },
    committer: { name: f[6]!, email: f[7]!, date: f[8]! },
    message: f.slice(9).join('\0').replace(/\n$/, ''),
    changes,
  };
}

/** git quotes unusual paths as C strings. */
function unquote(path: string): string {
  if (!path.startsWith('"')) return path;
  const bytes = path.slice(1, -1).replace(/\\([0-7]{3}|.)/g, (_, code: string) => {
    if (/^[0-7]{3}$/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
    return { n: '\n', t: '\t', r: '\r' }[code] ?? code;
  });
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
