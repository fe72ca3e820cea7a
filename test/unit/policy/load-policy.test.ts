import { describe, expect, test } from 'vitest';
import { defaultPolicy } from '../../../src/policy/default-policy.ts';
import { loadPolicy, policyDigest } from '../../../src/policy/load-policy.ts';

function problemsOf(text: string) {
  const loaded = loadPolicy(text);
  return loaded.kind === 'valid'
    ? []
    : loaded.problems.map(({ field, code, line }) => `${line ?? '-'} ${field} ${code}`);
}

describe('a policy file', () => {
  test.each([null, '', '# nothing yet\n', 'version: 1\n', '\uFEFFversion: 1\r\n'])(
    '%j gives the defaults',
    (text) => {
      expect(loadPolicy(text)).toEqual({
        kind: 'valid',
        policy: defaultPolicy,
        digest: policyDigest(defaultPolicy),
      });
    },
  );

  test('its digest tells content, not spelling', () => {
    const digest = (text: string) => {
      const loaded = loadPolicy(text);
      return loaded.kind === 'valid' ? loaded.digest : null;
    };
    expect(digest('caps: {usd: 7}\nwaivers: self')).toBe(digest('waivers: "self"\n\ncaps:\n  usd: 7.0\n'));
    expect(digest('caps: {usd: 7}')).not.toBe(digest('caps: {usd: 8}'));
  });

  test.each([
    ['unknown key', 'version: 1\npublsh: x', ['2 policy unknown-key']],
    ['unknown key below', 'version: 1\ncaps: { dollars: 1 }', ['2 caps unknown-key']],
    ['wrong value', 'caps: { usd: -1 }', ['1 caps.usd wrong-value']],
    ['other version', 'version: 2', ['1 version wrong-value']],
    ['key twice', 'version: 1\nversion: 1', ['2 policy duplicate-key']],
    ['a path that names nothing', 'guard: { protected: [/src] }', ['1 guard.protected.0 wrong-value']],
    ['a path from here', 'guard: { tests: [./checks/] }', ['1 guard.tests.0 wrong-value']],
    ['list', '- version', ['1 policy yaml-syntax']],
    ['several', 'profiles: never\nwaivers: all', ['2 waivers wrong-value', '1 profiles wrong-value']],
  ])('%s is refused', (_name, text, expected) => {
    expect(problemsOf(text)).toEqual(expected);
  });

  test('aliases are refused', () => {
    expect(problemsOf('caps: &a {}\nguard: *a').join()).toContain('yaml-alias');
  });
});
