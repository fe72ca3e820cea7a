import type { GitRepository } from '../git/repository.ts';

export interface LogEntry {
  readonly oid: string;
  readonly parents: readonly string[];
  readonly author: string;
  /** ISO 8601. */
  readonly date: string;
  readonly subject: string;
  readonly body: string;
}

const FORMAT = ['%H', '%P', '%an', '%aI', '%s', '%b'].join('%x00');

/** Commits that can be reached from `range`, newest first, no child after its parent. */
export async function readLog(
  git: GitRepository,
  range: readonly string[],
  { limit, skip = 0 }: { readonly limit: number; readonly skip?: number },
): Promise<LogEntry[]> {
  const run = await git.run([
    'log',
    '--topo-order',
    `--max-count=${limit}`,
    `--skip=${skip}`,
    `--format=%x01${FORMAT}`,
    ...range,
    '--',
  ]);
  const text = run.stdout.toString('utf8');
  return text.split('\x01').slice(1).map(entryOf);
}

function entryOf(text: string): LogEntry {
  const [oid = '', parents = '', author = '', date = '', subject = '', ...rest] = text.split('\0');
  return {
    oid,
    parents: parents === '' ? [] : parents.split(' '),
    author,
    date,
    subject,
    body: rest.join('\0').trim(),
  };
}
