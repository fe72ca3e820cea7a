import { expect, test, vi } from 'vitest';
import { judged, patience, specWith } from './judged.ts';
import type { Files } from './two-trees.ts';

vi.setConfig({ testTimeout: patience });
const broken = 'export const clamp = (value, low, high) => (value < low ? low : value);\n';
const mended = 'export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);\n';
const head = `import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { clamp } from '../src/clamp.js';\n`;
const low = `test('keeps the lower bound', () => { assert.equal(clamp(-1, 0, 9), 0); });\n`;
const high = `test('keeps the upper bound', () => { assert.equal(clamp(10, 0, 9), 9); });\n`;
const base: Files = {
  'package.json': '{"type":"module"}\n',
  'src/clamp.js': broken,
  'test/clamp.test.js': head + low + high,
};
const target = 'test/clamp.test.js::keeps the upper bound';
const spec = specWith({ targetTests: [target] });

function withTest(code: string, tests: string): Files {
  return { ...base, 'src/clamp.js': code, 'test/clamp.test.js': head + tests };
}

test('an honest fix of a bug that a test shows already', async () => {
  const { judgement, found } = await judged(base, withTest(mended, low + high), spec);
  expect(judgement.kind).toBe('judged');
  expect(found).toEqual([]);
});

test('an honest fix with a new test', async () => {
  const old = { ...base, 'test/clamp.test.js': head + low };
  const { judgement, found } = await judged(old, withTest(mended, low + high), spec);
  expect(judgement.kind).toBe('judged');
  expect(found).toEqual([]);
});

test('a weakened target passes on base', async () => {
  const weak = high.replace('9), 9', '9), 10');
  const { found } = await judged(base, withTest(broken, low + weak), spec);
  expect(found).toEqual(['R5 target-passes-on-base']);
});

test('a weakened test that passed on base is put back by the overlay', async () => {
  const weak = low.replace('assert.equal(clamp(-1, 0, 9), 0)', 'clamp(-1, 0, 9)');
  const wrong = 'export const clamp = (value, low, high) => Math.min(value, high);\n';
  const { found } = await judged(base, withTest(wrong, weak + high), spec);
  expect(found).toEqual(['R4 test-broken']);
});
