import { canonicalJson } from '../domain/digest.ts';
import { CcdError } from '../domain/errors.ts';

/**
 * Text of a state file: keys sorted at every level, two blanks of indent, one line end at the end. Equal data give equal
 * bytes, so a file that did not change keeps its blob, and people can read the difference between two commits.
 */
export function stateJson(value: unknown): string {
  return `${JSON.stringify(JSON.parse(canonicalJson(value)), null, 2)}\n`;
}

/** Throws `git.state-path` unless the path is one that state may hold: lower-case words of letters, digits, `.`, `_`, `-`. */
export function checkStatePath(path: string): void {
  const parts = path.split('/');
  if (
    path.length <= 200 &&
    parts.every((part) => /^[a-z0-9_-][a-z0-9._-]*$/.test(part) && !part.endsWith('.lock'))
  )
    return;
  throw new CcdError({
    code: 'git.state-path',
    message: `"${path.slice(0, 200)}" is no path of the state branch.`,
    remedy: 'Report this with the log of the run.',
    audience: 'bug',
  });
}
