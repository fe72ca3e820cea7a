import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runCcd } from '../../../src/cli/ccd.ts';
import { guardCommand } from '../../../src/cli/commands/guard.ts';
import { removeTree } from '../../../src/host/remove-tree.ts';
import { patience } from './judged.ts';
import { type TwoTrees, twoTrees } from './two-trees.ts';

vi.setConfig({ testTimeout: patience, hookTimeout: patience });

const tests = `import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { half } from '../src/half.js';
test('even', () => { assert.equal(half(4), 2); });
test('odd', () => { assert.equal(half(5), 2); });\n`;
const broken = {
  'package.json': '{"type":"module"}\n',
  '.github/ccd.yml': 'guard:\n  runs: 1\ntask:\n  test_command: node --test\n',
  'src/half.js': 'export function half(value) {\n  return value / 2;\n}\n',
  'test/half.test.js': tests,
};
const mended = {
  ...broken,
  'src/half.js': 'export function half(value) {\n  return Math.floor(value / 2);\n}\n',
};
const cheat = { ...broken, 'test/half.test.js': tests.replace('half(5), 2', 'half(5), 2.5') };

let root: string;
let honest: TwoTrees;
let weakened: TwoTrees;
const spec = `### Kind\n\nfix\n\n### Objective\n\nHalf of an odd number is rounded down.\n
### Allowed paths\n\n- src/\n- test/\n\n### Target tests\n\n- test/half.test.js::odd\n`;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'ccd-guard-'));
  await writeFile(join(root, 'spec.md'), spec);
  await writeFile(join(root, 'bad.md'), 'nothing');
  honest = await twoTrees(broken, mended);
  weakened = await twoTrees(broken, cheat);
});
afterAll(async () => {
  await removeTree(root);
  await honest.remove();
  await weakened.remove();
});

async function guard(repo: TwoTrees, ...more: string[]) {
  let out = '';
  let err = '';
  let exit = -1;
  const args = [
    'guard',
    '--repo',
    repo.gitDir,
    '--base',
    repo.base,
    '--head',
    repo.head,
    '--spec',
    'spec.md',
    ...more,
  ];
  await runCcd(
    args,
    [guardCommand],
    {
      stdout: (text) => {
        out += text;
      },
      stderr: (text) => {
        err += text;
      },
      env: process.env,
      cwd: root,
      isTty: false,
      setExit: (code) => {
        exit = code;
      },
    },
    '0',
  );
  return { out, err, exit };
}

test('an honest fix passes, and the document has the agreed form', async () => {
  const { out, exit } = await guard(honest, '--json');
  const document = JSON.parse(out);
  expect(document).toMatchObject({ verdict: 'pass', findings: [], reason: null });
  expect(Object.keys(document)).toEqual(['verdict', 'key', 'findings', 'reason', 'rules']);
  expect(document.rules).toEqual(['R0', 'R1', 'R2', 'R3', 'R4', 'R5', 'R6']);
  expect(exit).toBe(0);
});

test('a weakened target is refused by R2 without executing anything, and by R5 where R2 is off', async () => {
  const both = await guard(weakened, '--json');
  expect(JSON.parse(both.out).findings[0]).toMatchObject({ rule: 'R2', file: 'test/half.test.js' });
  expect(both.err).toBe('');
  const executed = await guard(weakened, '--json', '--rules', 'R0,R1,R3,R4,R5,R6');
  expect(JSON.parse(executed.out).findings).toMatchObject([{ rule: 'R5', class: 'target-passes-on-base' }]);
  expect([both.exit, executed.exit]).toEqual([1, 1]);
});

test('--static executes nothing; the words for people name rule and place', async () => {
  const { out, err, exit } = await guard(weakened, '--static');
  expect(out).toMatch(/^R2 \S+ {2}test\/half\.test\.js:\d+\n/);
  expect(out).toMatch(/guard: fail \(by R0, R1, R2, R3, R6 alone\)\n$/);
  expect([err, exit]).toEqual(['', 1]);
});

test('a verdict by some rules is another one than a verdict by all: its key says so', async () => {
  const key = async (...more: string[]) => {
    const { out } = await guard(weakened, '--json', '--static', ...more);
    return JSON.parse(out).key;
  };
  const [fixed, scope] = [await key(), await key('--rules', 'R0,R1')];
  expect(fixed.guardVersion).toMatch(/\+R0\+R1\+R2\+R3\+R6$/);
  expect(scope.guardVersion).toMatch(/\+R0\+R1$/);
  const none = await guard(weakened, '--static', '--rules', 'R4');
  expect(none).toMatchObject({ out: '', exit: 2 });
  expect(none.err).toMatch(/No rule is left/);
});

test.each([
  ['--base', 'nope', /no commit "nope"/],
  ['--repo', '/', /no git repository/],
  ['--spec', 'missing.md', /cannot be read/],
  ['--spec', 'bad.md', /not valid/],
  ['--rules', 'R9', /no rule "R9"/],
  ['--unknown', 'x', /Unknown option/],
])('%s %s is a matter of usage', async (option, value, sentence) => {
  const { out, err, exit } = await guard(honest, option, value);
  expect(err).toMatch(sentence);
  expect([out, exit]).toEqual(['', 2]);
});
