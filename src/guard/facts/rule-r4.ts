import type { FactSide, Facts, FactsPlan } from '../../domain/facts.ts';
import type { TaskSpec } from '../../domain/spec.ts';
import { type FactsFinding, quoted } from './facts-finding.ts';
import { faultSentence, type RunFault, runFault } from './run-fault.ts';
import { isFileTest, matchesAny, parseTestId } from './test-id.ts';
import { allIds, disagree, type Observed, observed, type RunSet, runSets } from './test-sets.ts';

/** `gaps` are sentences that say what kept the rule from judging. */
export interface RuleOutcome {
  readonly findings: FactsFinding[];
  readonly gaps: string[];
}

/**
 * R4: every test that ran and passed on base still does, under base's tests and configuration (overlay) and on head. Sets
 * of tests are compared, never counts. Tests that the spec expects to change may change; nothing that passed or was absent
 * on base may fail on head.
 */
export function ruleR4(plan: FactsPlan, facts: Facts, spec: TaskSpec): RuleOutcome {
  const base = runSets(facts, plan, 'base');
  const passed = allIds(base).filter((id) => observed(base, id).every((status) => status === 'passed'));
  const flaky = allIds(base).filter(
    (id) => disagree(observed(base, id)) && !matchesAny(id, plan.targetTests),
  );
  const sides = (['overlay', 'head'] as const).filter((side) => side === 'head' || plan.testPaths.length > 0);
  const outcomes = sides.map((side) => sideOutcome(side, plan, facts, passed, spec));
  const usable = runSets(facts, plan, 'head').every(({ run }) => runFault(run) === null);
  return {
    findings: [
      ...outcomes.flatMap(({ findings }) => findings),
      ...(usable ? newFailures(plan, facts, base, flaky) : []),
    ],
    gaps: [...outcomes.flatMap(({ gaps }) => gaps), ...flakySentence(flaky)],
  };
}

function sideOutcome(
  side: 'overlay' | 'head',
  plan: FactsPlan,
  facts: Facts,
  passed: readonly string[],
  spec: TaskSpec,
): RuleOutcome {
  const sets = runSets(facts, plan, side);
  const broken = brokenRuns(side, sets);
  if (broken !== null) return broken;
  const findings = passed.flatMap((id) => {
    const name = side === 'head' ? renamed(id, spec) : id;
    const statuses = observed(sets, name);
    if (statuses.every((status) => status === 'passed') || isReplacedFileTest(name, sets)) return [];
    if (matchesAny(id, spec.expectChanges) && mayBe(side, statuses)) return [];
    return [lostTest(name, side, statuses)];
  });
  return { findings, gaps: [] };
}

/** A test that is expected to change may fail as base has it, and may be gone from head; on head it must not fail. */
function mayBe(side: 'overlay' | 'head', statuses: readonly Observed[]): boolean {
  return side === 'overlay' || statuses.every((status) => status === 'missing');
}

/** A file that had no tests of its own and has some now no longer stands for itself. */
function isReplacedFileTest(id: string, sets: readonly RunSet[]): boolean {
  if (!isFileTest(id)) return false;
  const { path } = parseTestId(id);
  return sets.every(
    ({ tests }) => !tests.has(id) && [...tests.keys()].some((other) => parseTestId(other).path === path),
  );
}

function renamed(id: string, spec: TaskSpec): string {
  const { path } = parseTestId(id);
  const pair = spec.allow.rename.find(([from]) => from === path);
  return pair === undefined ? id : `${pair[1]}${id.slice(path.length)}`;
}

const places: Readonly<Record<FactSide, string>> = {
  base: 'on base',
  overlay: "with the change's code under base's tests",
  head: 'on head',
  'target-on-base': "on base with head's tests",
};

function lostTest(id: string, side: FactSide, statuses: readonly Observed[]): FactsFinding {
  const where = places[side];
  if (disagree(statuses)) {
    return finding(
      'unstable-test',
      id,
      `${quoted(id)} passed on base, and gives different answers ${where}: ${statuses.join(', ')}.`,
    );
  }
  if (statuses[0] === 'failed')
    return finding('test-broken', id, `${quoted(id)} passed on base and fails ${where}.`);
  if (statuses[0] === 'missing') {
    return finding('test-lost', id, `${quoted(id)} ran and passed on base and does not run ${where}.`);
  }
  return finding('test-muted', id, `${quoted(id)} passed on base and is ${statuses[0]} ${where}.`);
}

function finding(kind: string, test: string | null, reason: string): FactsFinding {
  const remedy =
    kind === 'run-broken'
      ? 'Run the test command on the change and on base, and mend what makes it end so.'
      : 'Mend the code so that the test passes as base has it; if it must change, a person lists it under expect_changes.';
  return { rule: 'R4', class: kind, test, reason, remedy };
}

/** Runs without a usable report: the change's doing when all of a side are so, for base had usable ones. */
function brokenRuns(side: FactSide, sets: readonly RunSet[]): RuleOutcome | null {
  const faults = sets.map(({ run }) => runFault(run));
  const first = faults.find((fault): fault is RunFault => fault !== null);
  if (first === undefined) return null;
  const sentence = `The tests ran on base, but not ${places[side]}. ${faultSentence(first)}`;
  if (faults.every((fault) => fault !== null))
    return { findings: [finding('run-broken', null, sentence)], gaps: [] };
  return { findings: [], gaps: [`Not all runs ${places[side]} could be used. ${faultSentence(first)}`] };
}

/** Tests that fail on head and did not fail on base. Targets are left to R5. */
function newFailures(
  plan: FactsPlan,
  facts: Facts,
  base: readonly RunSet[],
  flaky: readonly string[],
): FactsFinding[] {
  const head = runSets(facts, plan, 'head');
  return allIds(head)
    .filter((id) => observed(head, id).includes('failed') || observed(head, id).includes('aborted'))
    .filter((id) => observed(base, id).every((status) => status !== 'failed' && status !== 'passed'))
    .filter((id) => !flaky.includes(id) && !matchesAny(id, plan.targetTests))
    .map((id) => finding('new-failure', id, `${quoted(id)} is new and fails on head.`));
}

function flakySentence(flaky: readonly string[]): string[] {
  if (flaky.length === 0) return [];
  const named = flaky.slice(0, 10).map(quoted).join(', ');
  return [`Base itself gives different answers from run to run: ${named}${flaky.length > 10 ? ', …' : ''}.`];
}
