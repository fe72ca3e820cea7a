import type { Oid } from '../domain/ids.ts';
import { tokenConfig } from '../git/git-environment.ts';
import { git } from '../git/run-git.ts';

export interface FetchCommits {
  /** A new folder for a bare repository. */
  readonly gitDir: string;
  readonly remoteUrl: string;
  readonly token: string;
  readonly oids: readonly Oid[];
}

/** Fetches commits by id without their history. Throws CcdError `git.failed` with the server's words. */
export async function fetchCommits({ gitDir, remoteUrl, token, oids }: FetchCommits): Promise<void> {
  await git({ args: ['init', '--quiet', '--bare', gitDir] });
  const { config, secrets } = tokenConfig(remoteUrl, token);
  const args = [
    'fetch',
    '--quiet',
    '--depth=1',
    '--no-tags',
    '--no-write-fetch-head',
    remoteUrl,
    ...new Set(oids),
  ];
  await git({ args, gitDir, config, secrets, timeoutMs: 10 * 60_000 });
}
