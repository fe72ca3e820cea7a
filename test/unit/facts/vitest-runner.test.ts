import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { judged, patience, specWith } from './judged.ts';
import type { Files } from './two-trees.ts';

vi.setConfig({ testTimeout: patience });
const modules = resolve(dirname(fileURLToPath(import.meta.url)), '../../../node_modules');
const tests = `import { describe, expect, it } from 'vitest';
import { half } from './half.ts';
describe('half', () => {
  it('of an even number', () => { expect(half(4)).toBe(2); });
  it('of an odd number', () => { expect(half(5)).toBe(2); });
});
`;
const base: Files = {
  'package.json': '{"type":"module","scripts":{"test":"vitest run --reporter=dot"}}\n',
  'src/half.ts': 'export const half = (value: number): number => value / 2;\n',
  'src/half.test.ts': tests,
};
const spec = specWith({
  targetTests: ['src/half.test.ts::half > of an odd number'],
  setup: `ln -s '${modules}' node_modules`,
  testCommand: 'npm test',
});

test('vitest behind npm test: an honest fix, and one that breaks another test', async () => {
  const fix = {
    ...base,
    'src/half.ts': 'export const half = (value: number): number => Math.floor(value / 2);\n',
  };
  const honest = await judged(base, fix, spec, { readable: modules });
  expect(honest.judgement).toEqual({ kind: 'judged', findings: [] });
  expect(honest.facts.runs[0]?.tests?.map(({ id, status, failure }) => [id, status, failure])).toEqual([
    ['src/half.test.ts::half > of an even number', 'passed', null],
    ['src/half.test.ts::half > of an odd number', 'failed', 'assertion'],
  ]);
  const constant = {
    ...base,
    'src/half.ts': 'export const half = (value: number): number => (value === 5 ? 2 : 0);\n',
  };
  expect((await judged(base, constant, spec, { readable: modules })).found).toEqual(['R4 test-broken']);
});
