import type { ExecutedTest, Facts, FactsPlan } from '../../domain/facts.ts';
import type { TaskSpec } from '../../domain/spec.ts';
import { type FactsFinding, quoted } from './facts-finding.ts';
import { provesTarget } from './plan-facts.ts';
import type { RuleOutcome } from './rule-r4.ts';
import { faultSentence, runFault } from './run-fault.ts';
import { isFileTest, matchesTest, parseTestId } from './test-id.ts';
import { type RunSet, runSets } from './test-sets.ts';

/** What one run says of a target: of all tests that the target's name stands for, together. */
type Sight =
  | { readonly kind: 'passed' }
  | { readonly kind: 'not-run' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly why: 'assertion' | 'error' | 'presence' | 'unknown' };

/**
 * R5: each target test fails on base for the right reason (an assertion, or an error that is more than "this does not exist
 * yet") and passes on head, in every run. A feature's target may fail on base because what it tests is not there.
 */
export function ruleR5(plan: FactsPlan, facts: Facts, spec: TaskSpec): RuleOutcome {
  if (plan.judged === 'build' || !provesTarget(spec)) return { findings: [], gaps: [] };
  if (spec.targetTests.length === 0) return spec.kind === 'fix' ? noTarget() : { findings: [], gaps: [] };
  const before = runSets(facts, plan, 'target-on-base');
  const after = runSets(facts, plan, 'head');
  const gaps = unusable(before);
  if (gaps.length > 0) return { findings: [], gaps };
  // Head runs that cannot be used are R4's to report.
  if (after.some(({ run }) => runFault(run) !== null)) return { findings: [], gaps: [] };
  const outcomes = plan.targetTests.map((target) => judgeTarget(target, before, after, spec));
  return {
    findings: outcomes.flatMap((outcome) => outcome.findings),
    gaps: outcomes.flatMap((outcome) => outcome.gaps),
  };
}

function noTarget(): RuleOutcome {
  const reason = 'A fix needs a target test that fails on base and passes on head; the spec names none.';
  const remedy = 'Name the test that shows the bug under target tests, as path::name.';
  return { findings: [{ rule: 'R5', class: 'target-missing', test: null, reason, remedy }], gaps: [] };
}

/** A side that hangs or breaks with head's tests says nothing, unless each file that failed to load tells so in its report. */
function unusable(sets: readonly RunSet[]): string[] {
  const fault = sets.map(({ run }) => runFault(run)).find((each) => each !== null);
  return fault ? [`The target could not be run on base. ${faultSentence(fault)}`] : [];
}

function judgeTarget(
  target: string,
  before: readonly RunSet[],
  after: readonly RunSet[],
  spec: TaskSpec,
): RuleOutcome {
  const onHead = after.map((set) => sight(set, target));
  const headProblem = headFinding(target, onHead);
  if (headProblem !== null) return { findings: [headProblem], gaps: [] };
  const onBase = before.map((set) => sight(set, target));
  if (onBase.some((seen) => seen.kind === 'failed' && seen.why === 'unknown')) {
    return { findings: [], gaps: [`The report does not tell why ${quoted(target)} fails on base.`] };
  }
  const baseProblem = baseFinding(target, onBase, spec);
  return { findings: baseProblem === null ? [] : [baseProblem], gaps: [] };
}

function headFinding(target: string, seen: readonly Sight[]): FactsFinding | null {
  const kinds = new Set(seen.map(({ kind }) => kind));
  if (kinds.size === 1 && kinds.has('passed')) return null;
  const name = quoted(target);
  if (kinds.size > 1)
    return finding('target-by-chance', target, `The target ${name} does not pass on head in every run.`);
  if (kinds.has('absent'))
    return finding('target-not-found', target, `The target ${name} does not exist on head.`);
  if (kinds.has('not-run'))
    return finding('target-not-run', target, `The target ${name} is not executed on head.`);
  return finding('target-fails', target, `The target ${name} fails on head.`);
}

function baseFinding(target: string, seen: readonly Sight[], spec: TaskSpec): FactsFinding | null {
  const name = quoted(target);
  const passes = seen.filter(({ kind }) => kind === 'passed').length;
  if (passes === seen.length) {
    return finding(
      'target-passes-on-base',
      target,
      `The target ${name} passes on base already: it proves nothing.`,
    );
  }
  if (passes > 0) {
    return finding(
      'target-by-chance',
      target,
      `The target ${name} passes on base in ${passes} of ${seen.length} runs.`,
    );
  }
  if (seen.some(({ kind }) => kind === 'not-run')) {
    return finding('target-not-run', target, `The target ${name} is not executed on base.`);
  }
  const presence = seen.some(
    (one) => one.kind === 'absent' || (one.kind === 'failed' && one.why === 'presence'),
  );
  if (presence && spec.kind === 'fix') {
    return finding(
      'presence-only',
      target,
      `The target ${name} fails on base only because something is not there.`,
    );
  }
  return null;
}

function finding(kind: string, test: string, reason: string): FactsFinding {
  const remedy =
    'Write the target so that it fails on base by an assertion about the behaviour, and passes with the change in every run.';
  return { rule: 'R5', class: kind, test, reason, remedy };
}

function sight({ tests }: RunSet, target: string): Sight {
  const group = [...tests.values()].filter(({ id }) => !isFileTest(id) && matchesTest(id, target));
  if (group.length === 0) return fileSight(tests, target);
  const failed = group.filter(({ status }) => status === 'failed');
  if (failed.length > 0) return { kind: 'failed', why: strongest(failed) };
  return group.every(({ status }) => status === 'passed') ? { kind: 'passed' } : { kind: 'not-run' };
}

/** A target that names a whole file without tests of its own is that file. */
function fileSight(tests: ReadonlyMap<string, ExecutedTest>, target: string): Sight {
  const wanted = parseTestId(target);
  const file = [...tests.values()].find(({ id }) => isFileTest(id) && parseTestId(id).path === wanted.path);
  if (file === undefined || wanted.name !== null) return { kind: 'absent' };
  if (file.status === 'failed') return { kind: 'failed', why: reasonOf(file) };
  return file.status === 'passed' ? { kind: 'passed' } : { kind: 'not-run' };
}

/** Of several failing tests under one name, one that fails by an assertion is enough. */
function strongest(failed: readonly ExecutedTest[]): 'assertion' | 'error' | 'presence' | 'unknown' {
  const reasons = failed.map(reasonOf);
  for (const reason of ['assertion', 'error', 'unknown'] as const)
    if (reasons.includes(reason)) return reason;
  return 'presence';
}

function reasonOf({ failure, message }: ExecutedTest): 'assertion' | 'error' | 'presence' | 'unknown' {
  if (failure === 'error' && presenceWords.test(message ?? '')) return 'presence';
  return failure ?? 'unknown';
}

/** How runtimes and compilers say that a name, a module or a file is not there. */
const presenceWords =
  /is not a (?:function|constructor)|is not defined|does not provide an export|Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND|Failed to (?:resolve import|load url)|has no attribute|ImportError|ModuleNotFoundError|NameError|cannot import name|fixture '[^']*' not found|undefined: |\[build failed\]|cannot find (?:function|value|type|struct|module)|unresolved import|undefined method|uninitialized constant|Call to undefined|Class "[^"]*" not found|ENOENT/;
