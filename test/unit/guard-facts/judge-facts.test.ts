import { expect, test } from 'vitest';
import type { FactSide, Facts, FactsPlan } from '../../../src/domain/facts.ts';
import type { TaskSpec } from '../../../src/domain/spec.ts';
import { judgeFacts } from '../../../src/guard/facts/judge-facts.ts';
import { specWith } from '../facts/judged.ts';
import { madeFacts, plan, type Results } from './made-facts.ts';

const spec = specWith({ targetTests: plan.targetTests });

/** `rule class` of each finding, or the first words of why it could not be judged. */
function verdict(facts: unknown, of: FactsPlan = plan, by: TaskSpec = spec): string[] {
  const outcome = judgeFacts({ plan: of, facts, spec: by });
  if (outcome.kind === 'could-not-judge') return [`?${outcome.reason}`];
  return outcome.findings.map((finding) => `${finding.rule} ${finding.class}`);
}

type Sides = Partial<Record<FactSide, Results>>;
const honest = {
  base: { old: 'p' },
  overlay: { old: 'p' },
  'target-on-base': { old: 'p', target: 'f' },
  head: { old: 'p', target: 'p' },
} satisfies Sides;
const facts = (sides: Sides = {}, of = plan) => madeFacts(of, { ...honest, ...sides });

test('an honest change has no findings', () => {
  expect(verdict(facts())).toEqual([]);
});

test.each<[string, Sides, string[]]>([
  ['broken under base tests', { overlay: { old: 'f' } }, ['R4 test-broken']],
  ['gone under base tests', { overlay: {} }, ['R4 test-lost']],
  ['gone on head', { head: { target: 'p' } }, ['R4 test-lost']],
  ['skipped on head', { head: { old: 's', target: 'p' } }, ['R4 test-muted']],
  ['todo on head', { head: { old: 't', target: 'p' } }, ['R4 test-muted']],
  ['aborted on head', { head: { old: 'a', target: 'p' } }, ['R4 test-muted']],
  ['now and then on head', { head: { old: 'pf', target: 'p' } }, ['R4 unstable-test']],
  ['a new test that fails', { head: { old: 'p', target: 'p', fresh: 'f' } }, ['R4 new-failure']],
  ['target passes on base', { 'target-on-base': { old: 'p', target: 'p' } }, ['R5 target-passes-on-base']],
  ['target passes on base by chance', { 'target-on-base': { target: 'pf' } }, ['R5 target-by-chance']],
  ['target passes on head by chance', { head: { old: 'p', target: 'pf' } }, ['R5 target-by-chance']],
  ['target fails on head', { head: { old: 'p', target: 'f' } }, ['R5 target-fails']],
  ['target is skipped on head', { head: { old: 'p', target: 's' } }, ['R5 target-not-run']],
  ['target is skipped on base', { 'target-on-base': { target: 's' } }, ['R5 target-not-run']],
  ['target is nowhere', { head: { old: 'p' } }, ['R5 target-not-found']],
  ['target asks only whether a name exists', { 'target-on-base': { target: 'm' } }, ['R5 presence-only']],
  [
    'the file of the target does not load on base',
    { 'target-on-base': { '(file)': 'm' } },
    ['R5 presence-only'],
  ],
])('%s', (_, sides, expected) => {
  expect(verdict(facts(sides))).toEqual(expected);
});

test('a target that fails on base by an error of the code is a proof, one without a reason is none', () => {
  expect(verdict(facts({ 'target-on-base': { target: 'e' } }))).toEqual([]);
  expect(verdict(facts({ 'target-on-base': { target: 'x' } }))[0]).toMatch(/^\?The report does not tell why/);
});

test("a feature's target may fail on base because nothing is there", () => {
  const feature = specWith({ kind: 'feature', targetTests: plan.targetTests });
  expect(verdict(facts({ 'target-on-base': { '(file)': 'm' } }), plan, feature)).toEqual([]);
  expect(verdict(facts({ 'target-on-base': { target: 'p' } }), plan, feature)).toEqual([
    'R5 target-passes-on-base',
  ]);
});

test('a fix without a target proves nothing; other kinds need none', () => {
  const none = { ...plan, targetTests: [] };
  expect(verdict(facts({}, none), none, specWith({}))).toEqual(['R5 target-missing']);
  for (const kind of ['feature', 'tests-only', 'refactor', 'docs', 'deps'] as const) {
    expect(verdict(facts({}, none), none, specWith({ kind }))).toEqual([]);
  }
});

test('tests that the spec expects to change may change, but not fail on head', () => {
  const open = specWith({ targetTests: plan.targetTests, expectChanges: ['test/a.test.js::old'] });
  expect(verdict(facts({ overlay: { old: 'f' } }), plan, open)).toEqual([]);
  expect(verdict(facts({ head: { target: 'p' } }), plan, open)).toEqual([]);
  expect(verdict(facts({ head: { old: 'f', target: 'p' } }), plan, open)).toEqual(['R4 test-broken']);
});

test('a test file that may be renamed keeps its tests under the new name', () => {
  const rename = specWith({
    targetTests: plan.targetTests,
    allow: { ...spec.allow, rename: [['test/a.test.js', 'test/b.test.js']] },
  });
  const moved = facts({ head: { 'test/b.test.js::old': 'p', target: 'p' } });
  expect(verdict(moved, plan, rename)).toEqual([]);
  expect(verdict(moved)).toEqual(['R4 test-lost']);
});

test('a base that gives different answers is named and nobody is blamed', () => {
  const flaky = {
    base: { old: 'p', shaky: 'pf' },
    overlay: { old: 'p', shaky: 'p' },
    head: { old: 'p', shaky: 'p', target: 'p' },
  };
  expect(verdict(facts(flaky))[0]).toMatch(/^\?Base itself gives different answers.*shaky/);
  expect(verdict(facts({ ...flaky, overlay: { shaky: 'p' } }))).toEqual(['R4 test-lost']);
});

test('a build is judged by R4 alone', () => {
  const build: FactsPlan = { ...plan, judged: 'build', targetTests: [] };
  expect(verdict(facts({ overlay: { old: 'f' } }, build), build)).toEqual(['R4 test-broken']);
  expect(verdict(facts({ head: { old: 'p' } }, build), build)).toEqual([]);
});

test('a change that touches no test is compared with base as it is', () => {
  const untouched: FactsPlan = { ...plan, testPaths: [] };
  const sides = { base: { old: 'p', target: 'f' }, head: { old: 'p', target: 'p' } };
  expect(verdict(facts(sides, untouched), untouched)).toEqual([]);
  expect(verdict(facts({ ...sides, base: { old: 'p', target: 'p' } }, untouched), untouched)).toEqual([
    'R5 target-passes-on-base',
  ]);
});

function changed(side: FactSide, change: (run: Facts['runs'][number]) => object): Facts {
  const made = facts();
  return { ...made, runs: made.runs.map((run) => (run.side === side ? { ...run, ...change(run) } : run)) };
}

test('exit code and report must agree', () => {
  expect(verdict(changed('head', () => ({ exitCode: 1 })))).toEqual(['R4 run-broken']);
  expect(verdict(changed('target-on-base', () => ({ exitCode: 0 })))[0]).toMatch(
    /^\?The target could not be run/,
  );
  expect(verdict(changed('base', () => ({ exitCode: 3 })))[0]).toMatch(
    /^\?The tests could not be run on base/,
  );
});

test('a run without a report, or past its time', () => {
  expect(verdict(changed('overlay', () => ({ tests: null, problem: 'No report.' })))).toEqual([
    'R4 run-broken',
  ]);
  expect(verdict(changed('head', () => ({ timedOut: true, tests: null })))).toEqual(['R4 run-broken']);
  const once = changed('head', ({ index }) => (index === 1 ? { timedOut: true, tests: null } : {}));
  expect(verdict(once)[0]).toMatch(/^\?Not all runs/);
  expect(verdict(changed('base', () => ({ tests: null, problem: 'No runner.' })))[0]).toMatch(/No runner\.$/);
});

test('facts that were not made for this plan, lack runs, have more of them, or name a test twice', () => {
  expect(verdict(facts(), { ...plan, timeoutMs: 2 })[0]).toMatch(/^\?The facts were made for another plan/);
  const made = facts();
  expect(verdict({ ...made, runs: made.runs.slice(1) })[0]).toMatch(/lack planned runs: base 1/);
  expect(verdict({ ...made, runs: [...made.runs, ...made.runs.slice(0, 1)] })[0]).toMatch(/nobody planned/);
  const twice = changed('head', ({ tests }) => ({ tests: [...(tests ?? []), ...(tests ?? [])] }));
  expect(verdict(twice)).toEqual(['R4 run-broken']);
  for (const junk of [null, 7, {}, [], { ...made, version: 2 }])
    expect(verdict(junk)[0]).toMatch(/^\?The facts are not/);
});

test('only the rules that are asked for', () => {
  const both = facts({ overlay: {}, 'target-on-base': { target: 'p' } });
  const of = (rule: 'R4' | 'R5') => judgeFacts({ plan, facts: both, spec, rules: new Set([rule]) });
  expect(of('R4')).toMatchObject({ findings: [{ rule: 'R4' }] });
  expect(of('R5')).toMatchObject({ findings: [{ rule: 'R5', file: 'test/a.test.js' }] });
});

test('many lost tests are told in a bounded number of findings', () => {
  const many: Results = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`test ${index}`, 'p']));
  const found = verdict(facts({ base: many, overlay: many, head: { target: 'p' } }));
  expect(found).toHaveLength(101);
  expect(found.at(-1)).toBe('R4 more-of-the-same');
});
