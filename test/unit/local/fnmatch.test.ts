import { describe, expect, it } from 'vitest';
import { fnmatch } from '../../../src/local/rules/fnmatch.ts';

/** Ruby: `File.fnmatch(pattern, text, File::FNM_PATHNAME)`. */
const CASES: readonly [pattern: string, text: string, matches: boolean][] = [
  ['refs/heads/ccd/*', 'refs/heads/ccd/a', true],
  ['refs/heads/ccd/*', 'refs/heads/ccd/a/b', false],
  ['refs/heads/ccd/**/*', 'refs/heads/ccd/a', true],
  ['refs/heads/ccd/**/*', 'refs/heads/ccd/a/b/c', true],
  ['refs/heads/ccd/**/*', 'refs/heads/ccd', false],
  ['refs/heads/ccd/**', 'refs/heads/ccd/a', true],
  ['refs/heads/ccd/**', 'refs/heads/ccd/a/b', false],
  ['refs/heads/**/*', 'refs/heads/main', true],
  ['refs/heads/ccd', 'refs/heads/ccd', true],
  ['refs/heads/ccd', 'refs/heads/ccdx', false],
  ['refs/heads/v?', 'refs/heads/v1', true],
  ['refs/heads/v?', 'refs/heads/v', false],
  ['refs/heads/v[0-9]', 'refs/heads/v1', true],
  ['refs/heads/v[!0-9]', 'refs/heads/v1', false],
  ['refs/heads/a.b', 'refs/heads/axb', false],
  ['refs/heads/a\\*', 'refs/heads/a*', true],
];

describe('ruleset patterns', () => {
  it.each(CASES)('%s on %s: %s', (pattern, text, matches) => {
    expect(fnmatch(pattern, text)).toBe(matches);
  });
});
