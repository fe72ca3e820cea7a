import { describe, expect, it } from 'vitest';
import { matchesPattern } from '../../../src/guard/model/path-pattern.ts';
import { roleOf, roles } from '../../../src/guard/roles.ts';
import { oddity } from '../../../src/guard/rules/r0-paths.ts';
import { policySchema } from '../../../src/policy/policy.ts';
import { judgeTrees } from '../../support/guard-judge.ts';

const policy = policySchema.parse({});

describe('path patterns', () => {
  it.each([
    ['src/a.ts', 'src/a.ts', true],
    ['src/a.ts', 'src/', true],
    ['src', 'src/', false],
    ['src2/a.ts', 'src/', false],
    ['src/a.ts', 'src', false],
    ['src/a.ts', 'src/*.ts', true],
    ['src/b/a.ts', 'src/*.ts', false],
    ['src/b/a.ts', 'src/**/a.ts', true],
    ['src/a.ts', 'src/**/a.ts', true],
    ['a+b.ts', 'a+?.ts', true],
    ['axb.ts', 'a.b.ts', false],
    ['packages/x/src/a.ts', 'packages/*/src/', true],
    ['SRC/a.ts', 'src/', false],
  ])('%s by %s: %s', (path, pattern, expected) => {
    expect(matchesPattern(path, pattern)).toBe(expected);
  });
});

describe('roles', () => {
  it.each([
    ['.github/workflows/ci.yml', 'protected'],
    ['.GitHub/workflows/ci.yml', 'protected'],
    ['docs/CODEOWNERS', 'protected'],
    ['pkg/.gitattributes', 'protected'],
    ['CLAUDE.md', 'protected'],
    ['package.json', 'manifest'],
    ['packages/a/package-lock.json', 'manifest'],
    ['jest.config.ts', 'manifest'],
    ['tests/conftest.py', 'manifest'],
    ['node_modules/x/index.js', 'manifest'],
    ['Makefile', 'manifest'],
    ['app/App.csproj', 'manifest'],
    ['src/a.test.ts', 'test'],
    ['src/__tests__/a.js', 'test'],
    ['pkg/a_test.go', 'test'],
    ['src/test/java/a/ATest.java', 'test'],
    ['spec/a_spec.rb', 'test'],
    ['tests/helpers.py', 'test'],
    ['tests/data/cases.json', 'test-data'],
    ['testdata/poem.golden', 'test-data'],
    ['src/__snapshots__/a.snap', 'test-data'],
    ['README.md', 'docs'],
    ['docs/guide.md', 'docs'],
    ['src/latest.ts', 'production'],
    ['src/contest.py', 'production'],
    ['lib/data.json', 'production'],
    ['unknown', 'production'],
  ])('%s is %s', (path, role) => {
    expect(roleOf(path, policy)).toBe(role);
  });

  it('takes the policy of trunk first', () => {
    const bare = policySchema.parse({ guard: { protected: ['src/core'], tests: ['checks'] } });
    expect(roleOf('src/core/a.js', bare)).toBe('protected');
    expect(roleOf('src/core2/a.js', bare)).toBe('production');
    expect(roleOf('checks/deep/a.js', bare)).toBe('test');
    const own = policySchema.parse({ guard: { protected: ['src/core/'], tests: ['checks/*.js'] } });
    expect([...roles(['src/core/a.ts', 'checks/a.js'], own).values()]).toEqual(['protected', 'test']);
  });

  it('reads the policy that it is given, never the one that the change brings', async () => {
    const base = { 'src/a.js': 'export const a = 1;\n', '.github/ccd.yml': 'guard:\n  protected: [src/]\n' };
    const head = { 'src/a.js': 'export const a = 2;\n', '.github/ccd.yml': 'guard:\n  protected: []\n' };
    const findings = await judgeTrees(base, head, {
      policy: policySchema.parse({ guard: { protected: ['src/'] } }),
    });
    expect(findings.filter(({ rule }) => rule === 'R0').map(({ file }) => file)).toEqual([
      '.github/ccd.yml',
      'src/a.js',
    ]);
  });
});

describe('hostile paths', () => {
  it.each([
    'a\nb',
    'a ',
    'src/ a',
    'a.',
    'a\\b',
    'con.txt',
    '.git /x',
    'x/.GIT/config',
    'GIT~1/x',
    '.g\u200bit/x',
    'e\u0301.txt',
    'a:b',
    '../x',
    'a//b',
    'x'.repeat(1200),
  ])('%j is refused', (path) => {
    expect(oddity(path)).not.toBeNull();
  });

  it.each([
    'docs/#1.md',
    'docs/-notes.md',
    '100%.md',
    'user guide/how "it" works.md',
    'données/été.txt',
    '.gitignore',
    'src/[id].tsx',
    'a@b.js',
  ])('%j is fine', (path) => {
    expect(oddity(path)).toBeNull();
  });

  it('finds paths that fall together, folders included', async () => {
    const base = { 'test/a.js': 'x\n' };
    const twins = await judgeTrees(base, { ...base, 'Test/b.js': 'x\n', 'test/A.js': 'y\n' });
    expect(twins.filter(({ class: word }) => word === 'path-collision').map(({ file }) => file)).toEqual([
      'Test/b.js',
      'test/A.js',
    ]);
  });
});
