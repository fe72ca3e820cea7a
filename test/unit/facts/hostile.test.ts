import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { judged, patience, specWith } from './judged.ts';
import type { Files } from './two-trees.ts';

vi.setConfig({ testTimeout: patience });

const imports = `import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { half } from '../src/half.js';\n`;
const even = `test('even', () => { assert.equal(half(4), 2); });\n`;
const odd = `test('odd', () => { assert.equal(half(5), 2); });\n`;
const broken = 'export const half = (value) => value / 2;\n';
const mended = 'export const half = (value) => Math.floor(value / 2);\n';
const base: Files = {
  'package.json': '{"type":"module"}\n',
  'src/half.js': broken,
  'test/half.test.js': imports + even + odd,
};
const spec = specWith({ targetTests: ['test/half.test.js::odd'] });
const withCode = (code: string): Files => ({ ...base, 'src/half.js': code });
const withTests = (text: string): Files => ({
  ...base,
  'src/half.js': mended,
  'test/half.test.js': imports + text,
});

test('production code that ends the process with success', async () => {
  const { found } = await judged(base, withCode(`${mended}process.exit(0);\n`), spec);
  expect(found).toEqual(['R4 test-lost', 'R5 target-not-found']);
});

test('production code that writes a report of its own', async () => {
  const forge = `import { readFileSync, rmSync, writeFileSync } from 'node:fs';
const words = readFileSync('/proc/' + process.ppid + '/cmdline', 'utf8').split('\\0');
const report = words.find((word) => word.startsWith('--test-reporter-destination='))?.slice(28);
rmSync(report);
writeFileSync(report, '0'.repeat(64) + ' ' + JSON.stringify({ type: 'end' }) + '\\n');
${broken}`;
  const { facts, found } = await judged(base, withCode(forge), spec);
  expect(found).toEqual(['R4 run-broken']);
  expect(facts.runs.at(-1)?.problem).toMatch(/tampered/);
});

test('a test that hangs ends with its time, and whatever it started is gone', async () => {
  const marker = `ccd-orphan-${process.pid}-${Date.now()}`;
  const hang = `import { spawn } from 'node:child_process';
spawn('/bin/sh', ['-c', 'while true; do sleep 1; done', '${marker}'], { detached: true, stdio: 'ignore' }).unref();
${broken}for (;;) { /* for ever */ }
`;
  const { facts, found } = await judged(base, withCode(hang), spec, { timeoutMs: 20_000 });
  expect(found).toEqual(['R4 run-broken']);
  expect(facts.runs.at(-1)).toMatchObject({ side: 'head', timedOut: true, tests: null });
  expect(commandLines().filter((line) => line.includes(marker))).toEqual([]);
});

function commandLines(): string[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        // It ended between the listing and the reading.
        return '';
      }
    });
}

test('a target that passes by chance', async () => {
  const chance = `const second = process.hrtime.bigint() % 2n;\n`;
  const luck = `test('odd', () => { assert.equal(second === 0n ? half(5) : 2, 2); });\n`;
  const { found, facts } = await judged(base, withTests(chance + even + luck), spec, { runs: 6 });
  const seen = new Set(
    facts.runs
      .filter(({ side }) => side === 'target-on-base')
      .map(({ tests }) => tests?.find(({ id }) => id.endsWith('::odd'))?.status),
  );
  // Chance itself may happen to agree with itself in all six runs; then what was seen decides.
  const agreed = seen.has('passed') ? ['R5 target-passes-on-base'] : [];
  expect(found).toEqual(seen.size > 1 ? ['R5 target-by-chance'] : agreed);
});

test('production code that ends the runner above it', async () => {
  const { found, facts } = await judged(
    base,
    withCode(`process.kill(process.ppid, 'SIGKILL');\n${mended}`),
    spec,
  );
  expect(found).toEqual(['R4 run-broken']);
  expect(facts.runs.at(-1)?.problem).toMatch(/did not end by itself/);
});

test('what tests print and how they wish to end counts for nothing: their results do', async () => {
  const prints = (lines: string) =>
    `console.log(${JSON.stringify(lines)}); process.on('exit', () => { process.exitCode = 0; });\n`;
  const dark = await judged(base, withTests(prints('not ok 1 - even\n# fail 7') + even + odd), spec);
  expect(dark.found).toEqual([]);
  const bright = withTests(prints('ok 1 - odd\n# pass 2\n# fail 0') + even + odd);
  expect((await judged(base, { ...bright, 'src/half.js': broken }, spec)).found).toEqual(['R5 target-fails']);
});

test('an expectation that the code under test computes itself proves nothing', async () => {
  const self = `test('odd', () => { const expected = half(5); assert.equal(half(5), expected); });\n`;
  expect((await judged(base, withTests(even + self), spec)).found).toEqual(['R5 target-passes-on-base']);
});

test('a target of another kind of failure: a missing name', async () => {
  const naming = `import * as all from '../src/half.js';\ntest('odd', () => { all.halfDown(5); });\n`;
  const head = {
    ...withTests(even + naming),
    'src/half.js': `${broken}export const halfDown = (value) => value;\n`,
  };
  expect((await judged(base, head, spec)).found).toEqual(['R5 presence-only']);
});

test('the tree of a run holds nothing of the run before it', async () => {
  const litter = `import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
test('clean', () => {
  for (const folder of ['.', process.env.HOME, process.env.TMPDIR]) {
    const file = join(folder, 'litter');
    assert.equal(existsSync(file), false);
    writeFileSync(file, 'x');
  }
});
`;
  const files = { ...base, 'test/litter.test.js': imports + litter };
  const { found, facts } = await judged(files, { ...files, 'src/half.js': mended }, spec, { runs: 2 });
  expect(found).toEqual([]);
  expect(facts.runs).toHaveLength(4);
});

test('no variable of ours but the allowed ones reaches the tests', async () => {
  process.env.CCD_TEST_SECRET = 'secret';
  const nosy = `test('poor', () => { assert.equal(process.env.CCD_TEST_SECRET, undefined); assert.equal(process.env.CI, 'true'); });\n`;
  const files = { ...base, 'test/nosy.test.js': imports + nosy };
  const { found } = await judged(files, { ...files, 'src/half.js': mended }, spec);
  delete process.env.CCD_TEST_SECRET;
  expect(found).toEqual([]);
});

test('hostile paths and links of a tree are refused, and nothing is executed', async () => {
  const link = { ...withCode(mended), 'src/out': { content: '../../../etc', mode: '120000' } };
  const { facts, found } = await judged(base, link, spec);
  expect(found).toEqual(['R4 run-broken']);
  expect(facts.runs.at(-1)?.problem).toMatch(/link that leaves the tree/);
});

test('a command that no reader knows, and a setup that fails', async () => {
  const unknown = await judged(base, withCode(mended), { ...spec, testCommand: 'make check' });
  expect(unknown.judgement).toMatchObject({
    kind: 'could-not-judge',
    reason: expect.stringContaining('make check'),
  });
  const failing = await judged(base, withCode(mended), {
    ...spec,
    setup: 'echo no such registry >&2; exit 7',
  });
  expect(failing.judgement).toMatchObject({
    kind: 'could-not-judge',
    reason: expect.stringMatching(/setup command ended with exit code 7.*no such registry/s),
  });
});
