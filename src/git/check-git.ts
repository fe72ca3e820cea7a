import { CcdError } from '../domain/errors.ts';
import { gitText } from './run-git.ts';

/** `merge-tree --write-tree` came with 2.38. */
const needed = [2, 38] as const;

/** Version of the installed git. Throws `git.missing` or `git.too-old`, both for the operator. */
export async function checkGit(): Promise<string> {
  const text = await gitText({ args: ['--version'], timeoutMs: 10_000 });
  return readGitVersion(text);
}

/** Version in the answer of `git --version`. Throws `git.too-old` when it is older than needed or cannot be read. */
export function readGitVersion(text: string): string {
  const match = /(\d+)\.(\d+)(\.\d+)*/.exec(text);
  const major = Number(match?.[1] ?? 0);
  const minor = Number(match?.[2] ?? 0);
  if (match !== null && (major > needed[0] || (major === needed[0] && minor >= needed[1]))) return match[0];
  throw new CcdError({
    code: 'git.too-old',
    message: `git 2.38 or later is needed; this is "${text.slice(0, 100)}".`,
    remedy: 'Install a newer git and put it first on the PATH.',
    audience: 'operator',
  });
}
