import { expect, test } from 'vitest';
import { digestBytes } from '../../../src/domain/digest.ts';
import type { Finding, VerdictKey } from '../../../src/domain/verdict.ts';
import { annotationsPerRequest, toAnnotations } from '../../../src/guard/annotations.ts';
import { planFacts } from '../../../src/guard/facts/plan-facts.ts';
import { type FactsPart, judge, type StaticJudgement } from '../../../src/guard/judge.ts';
import { applyWaivers, waiversDigest } from '../../../src/guard/waivers.ts';
import { policySchema } from '../../../src/policy/policy.ts';
import { specWith } from '../facts/judged.ts';

const finding = (name: string, part: Partial<Finding> = {}): Finding => ({
  rule: 'R2',
  class: 'test-case-deleted',
  file: 'test/a.test.js',
  line: 3,
  reason: 'A test is gone.',
  remedy: 'Put it back.',
  fingerprint: digestBytes(name),
  ...part,
});

const key: VerdictKey = {
  judged: 'candidate',
  baseTree: 'a'.repeat(40),
  headTree: 'b'.repeat(40),
  policyDigest: digestBytes('policy'),
  specDigest: digestBytes('spec'),
  waiversDigest: waiversDigest([]),
  guardVersion: '1',
  runnerImage: 'test',
};

const clean: StaticJudgement = { kind: 'judged', findings: [] };
const proven: FactsPart = { kind: 'judged', findings: [] };
const gap = { kind: 'could-not-judge', reason: 'No machine.' } as const;
const missing: FactsPart = { kind: 'missing', reason: 'No facts.' };
const found = (name: string) => ({ kind: 'judged' as const, findings: [finding(name)] });

test.each<[StaticJudgement, FactsPart, string]>([
  [clean, proven, 'pass'],
  [clean, { kind: 'none-needed' }, 'pass'],
  [clean, missing, 'could-not-judge'],
  [clean, gap, 'could-not-judge'],
  [gap, proven, 'could-not-judge'],
  [found('x'), missing, 'fail'],
  [found('x'), gap, 'fail'],
  [clean, found('x'), 'fail'],
  [gap, found('x'), 'fail'],
])('%o and %o is %s', (statics, facts, word) => {
  const verdict = judge({ key, try: 1, statics, facts, waivers: [] });
  expect(verdict.verdict).toBe(word);
  expect(verdict.reason === null).toBe(word !== 'could-not-judge');
  expect(verdict.findings.length > 0).toBe(word === 'fail');
});

test('a waiver covers exactly the finding with its fingerprint, and nothing that was not judged', () => {
  const statics: StaticJudgement = { kind: 'judged', findings: [finding('x'), finding('y')] };
  const waivers = [{ fingerprint: digestBytes('x') }];
  expect(judge({ key, try: 1, statics, facts: proven, waivers }).findings).toEqual([finding('y')]);
  const both = [...waivers, { fingerprint: digestBytes('y') }];
  expect(judge({ key, try: 1, statics, facts: proven, waivers: both }).verdict).toBe('pass');
  expect(judge({ key, try: 1, statics, facts: missing, waivers: both }).verdict).toBe('could-not-judge');
  expect(applyWaivers(statics.findings, waivers).waived).toEqual([finding('x')]);
});

test('findings of a build composition count', () => {
  const composition = [finding('extra')];
  expect(judge({ key, try: 1, statics: clean, facts: proven, composition, waivers: [] }).verdict).toBe(
    'fail',
  );
});

test('the digest of waivers knows neither order nor repetition', () => {
  const [one, two] = [{ fingerprint: digestBytes('1') }, { fingerprint: digestBytes('2') }];
  expect(waiversDigest([one, two, one])).toBe(waiversDigest([two, one]));
  expect(waiversDigest([one])).not.toBe(waiversDigest([two]));
});

test('annotations come in pages of fifty and within bounds', () => {
  const many = Array.from({ length: 120 }, (_, index) => finding(`f${index}`));
  const pages = toAnnotations([...many, finding('whole', { file: null })]);
  expect(pages.map((page) => page.length)).toEqual([annotationsPerRequest, annotationsPerRequest, 20]);
  const long = finding('long', { line: null, reason: 'ü'.repeat(70_000) });
  const annotation = toAnnotations([long])[0]?.[0];
  expect(annotation).toMatchObject({ start_line: 1, end_line: 1, title: 'R2 test-case-deleted' });
  expect(Buffer.byteLength(annotation?.message ?? '')).toBeLessThanOrEqual(65_536);
});

const policy = policySchema.parse({});
const planInput = {
  judged: 'candidate' as const,
  base: 'a'.repeat(40),
  head: 'b'.repeat(40),
  changedPaths: ['src/a.js', 'test/a.test.js', 'README.md'],
  roleOf: (path: string) =>
    (path.startsWith('test/') ? 'test' : path.endsWith('.md') ? 'docs' : 'production') as never,
  spec: specWith({ targetTests: ['test/a.test.js::x'] }),
  policy,
};

test('a plan lists only the changed test paths, and targets only where they prove something', () => {
  expect(planFacts(planInput)).toMatchObject({
    kind: 'plan',
    plan: { testPaths: ['test/a.test.js'], targetTests: ['test/a.test.js::x'], runs: 3, timeoutMs: 900_000 },
  });
  expect(planFacts({ ...planInput, judged: 'build' })).toMatchObject({ plan: { targetTests: [] } });
  expect(planFacts({ ...planInput, spec: specWith({ kind: 'deps', targetTests: ['x::y'] }) })).toMatchObject({
    plan: { targetTests: [] },
  });
});

test('nothing to execute, or no way to', () => {
  expect(planFacts({ ...planInput, changedPaths: [] }).kind).toBe('none-needed');
  const docs = { ...planInput, spec: specWith({ kind: 'docs' }), changedPaths: ['README.md'] };
  expect(planFacts(docs).kind).toBe('none-needed');
  expect(planFacts({ ...docs, changedPaths: ['README.md', 'src/a.js'] }).kind).toBe('plan');
  expect(planFacts({ ...planInput, spec: specWith({ testCommand: null }) }).kind).toBe('could-not');
  const changedPaths = Array.from({ length: 1000 }, (_, at) => `test/${'x'.repeat(80)}${at}.test.js`);
  const roleOf = () => 'test' as const;
  expect(planFacts({ ...planInput, changedPaths, roleOf }).kind).toBe('could-not');
  expect(planFacts({ ...planInput, changedPaths: changedPaths.slice(0, 500), roleOf }).kind).toBe('plan');
});
