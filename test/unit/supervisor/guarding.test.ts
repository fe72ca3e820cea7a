import { describe, expect, test } from 'vitest';
import { artifactNames } from '../../../src/domain/contract.ts';
import { digestValue } from '../../../src/domain/digest.ts';
import type { ObservedReview, ObservedRun } from '../../../src/domain/snapshot.ts';
import type { FactsState, TaskState } from '../../../src/domain/state.ts';
import { factsRunTitle, guardWorkflow } from '../../../src/supervisor/facts-job.ts';
import {
  artifactOf,
  at,
  bodyOf,
  botId,
  candidateOf,
  decideIn,
  effectsOf,
  endedAttempt,
  issueOf,
  oid,
  person,
  policyOf,
  pullOf,
  taskIn,
  taskOf,
  verdictOf,
  type World,
} from '../../support/snapshots.ts';

const issue = issueOf(1);
const candidate = candidateOf(issue);
const plan = digestValue('plan');
const record = {
  attempt: '1.1',
  runId: 50,
  startedAt: at(3),
  endedAt: at(4),
  outcome: null,
  verdict: null,
  microUsd: null,
  tries: 1,
};
const guarded = (over: Partial<TaskState> = {}, of = issue) =>
  taskOf(of, {
    phase: 'guarding',
    generation: 1,
    attempt: endedAttempt(of),
    candidate,
    records: [record],
    spent: { microUsd: 0, tries: 0, generations: 1, queueEntries: 0 },
    ...over,
  });
const decided = (over: Partial<TaskState>, world: World = {}, policy = policyOf()) =>
  decideIn({ issues: [issue], tasks: [guarded(over)], ...world }, policy);
const factsOf = (over: Partial<FactsState> = {}): FactsState => ({
  planDigest: plan,
  try: 1,
  dispatchedAt: null,
  runId: null,
  state: 'wanted',
  ...over,
});
const factsRun = (id: number, over: Partial<ObservedRun> = {}): ObservedRun => ({
  id,
  attempt: 1,
  event: 'workflow_dispatch',
  path: `${guardWorkflow}@refs/heads/ccd/facts`,
  branch: 'ccd/facts',
  head: oid('facts'),
  title: factsRunTitle(plan, 1),
  actorId: botId,
  status: 'in_progress',
  conclusion: null,
  createdAt: at(10),
  ...over,
});
const titled = (...runs: ObservedRun[]): World => ({ runsByTitle: [[factsRunTitle(plan, 1), runs]] });

describe('facts', () => {
  test('are asked for by judging first, without any', () => {
    expect(decided({}).computations).toEqual([
      { kind: 'judge-candidate', issue: 1, try: 1, factsArtifact: null, factsMissing: false },
    ]);
  });

  test('that are wanted are dispatched with their intent, once', () => {
    const decision = decided({ facts: factsOf() });
    expect(effectsOf(decision, 'dispatch-facts')).toEqual([
      { kind: 'dispatch-facts', of: { kind: 'candidate', issue: 1 }, planDigest: plan, try: 1 },
    ]);
    const key = `facts.${plan}.1`;
    expect(decision.state.repository.intents[key]).toMatchObject({ kind: 'dispatch-facts', tries: 1 });
    expect(taskIn(decision).facts?.dispatchedAt).not.toBeNull();
    const again = decided(
      { facts: factsOf({ dispatchedAt: at(60) }) },
      { repository: { intents: decision.state.repository.intents } },
    );
    expect(effectsOf(again, 'dispatch-facts')).toEqual([]);
  });

  test.each([
    ['another actor', { actorId: 3 }],
    ['another branch', { branch: 'main' }],
    ['another head', { head: oid('x') }],
    ['another workflow', { path: '.github/workflows/ccd-worker.yml@x' }],
    ['another event', { event: 'push' }],
    ['a second run attempt', { attempt: 2 }],
  ] as [string, Partial<ObservedRun>][])('are never bound to a run with %s', (_what, over) => {
    const facts = factsOf({ dispatchedAt: at(10) });
    expect(taskIn(decided({ facts }, titled(factsRun(80, over)))).facts?.runId).toBeNull();
    const beside = decided({ facts }, titled(factsRun(82), factsRun(80, over), factsRun(81)));
    expect(taskIn(beside).facts).toMatchObject({ runId: 81, state: 'running' });
  });

  const bound = factsOf({ dispatchedAt: at(10), runId: 81, state: 'running' });
  const delivered = artifactOf(90, 81, artifactNames.facts(plan, 1));

  test('that were delivered are judged', () => {
    const world = { runs: [factsRun(81, { status: 'completed' })], artifacts: [[81, [delivered]]] as const };
    const decision = decided({ facts: bound }, world);
    expect(decision.computations).toMatchObject([
      { kind: 'judge-candidate', try: 1, factsArtifact: 90, factsMissing: false },
    ]);
    expect(taskIn(decision).facts?.state).toBe('read');
  });

  test.each([
    ['a run that ended without them', { status: 'completed' }, []],
    ['a run started again by hand', { attempt: 2 }, [delivered]],
    ['an artifact that expired', { status: 'completed' }, [{ ...delivered, expired: true }]],
    [
      'an artifact of another try',
      { status: 'completed' },
      [artifactOf(90, 81, artifactNames.facts(plan, 2))],
    ],
  ] as const)('are missing after %s', (_what, over, artifacts) => {
    const world: World = { runs: [factsRun(81, over)], artifacts: [[81, artifacts]] };
    expect(decided({ facts: bound }, world).computations).toMatchObject([
      { kind: 'judge-candidate', factsArtifact: null, factsMissing: true },
    ]);
  });

  test('that do not come in time are given up, their run cancelled by force', () => {
    const world = (seconds: number): World => ({ runs: [factsRun(81)], artifacts: [[81, []]], seconds });
    const deadline = 10 + 15 * 4 * 60;
    const early = decided({ facts: bound }, world(deadline - 1));
    expect(early.computations).toEqual([]);
    expect(early.wakeAt).toBe(Date.parse(at(deadline)));
    const late = decided({ facts: bound }, world(deadline));
    expect(late.computations).toMatchObject([{ kind: 'judge-candidate', factsMissing: true }]);
    expect(effectsOf(late, 'cancel-run')).toEqual([{ kind: 'cancel-run', runId: 81, force: true }]);
  });
});

describe('facts that cannot come', () => {
  test('are given up when GitHub will not start their job', () => {
    const intents = (tries: number) => ({
      intents: {
        [`facts.${plan}.1`]: { kind: 'dispatch-facts', instance: 'one', since: at(-1000), at: at(0), tries },
      },
    });
    const facts = factsOf({ dispatchedAt: at(10) });
    const waits = decided({ facts }, { repository: intents(9) });
    expect(taskIn(waits).facts?.state).toBe('wanted');
    expect(waits.computations).toEqual([]);
    const over = decided({ facts }, { repository: intents(10) });
    expect(over.computations).toMatchObject([{ kind: 'judge-candidate', factsMissing: true }]);
  });

  test('are given up when their run was deleted, after the time that they could have needed', () => {
    const bound = factsOf({ dispatchedAt: at(10), runId: 81, state: 'running' });
    const deadline = 10 + 15 * 4 * 60;
    const early = decided({ facts: bound }, { seconds: deadline - 1 });
    expect(early.computations).toEqual([]);
    expect(early.wakeAt).toBe(Date.parse(at(deadline)));
    const late = decided({ facts: bound }, { seconds: deadline });
    expect(late.computations).toMatchObject([{ kind: 'judge-candidate', factsMissing: true }]);
    expect(effectsOf(late, 'cancel-run')).toEqual([]);
  });
});

describe('a verdict', () => {
  const missing = factsOf({ dispatchedAt: at(10), runId: 81, state: 'missing' });

  test('of could-not-judge gets its facts again, as a try of its own', () => {
    const decision = decided({ verdict: verdictOf('could-not-judge'), facts: missing });
    expect(taskIn(decision)).toMatchObject({
      phase: 'guarding',
      verdict: null,
      facts: { planDigest: plan, try: 2, runId: null, state: 'wanted' },
    });
  });

  test('of could-not-judge at the last try, or without facts to repeat, holds the task and blames nobody', () => {
    const last = decided({ verdict: verdictOf('could-not-judge', { try: 3 }), facts: missing });
    expect(taskIn(last)).toMatchObject({ phase: 'held', generation: 1 });
    expect(taskIn(last).reason?.code).toBe('could-not-judge.no-facts');
    expect(taskIn(decided({ verdict: verdictOf('could-not-judge') })).phase).toBe('held');
  });

  test('of fail gives the task to its next generation, which starts from the refused change', () => {
    const task = taskIn(decided({ verdict: verdictOf('fail') }));
    expect(task).toMatchObject({ phase: 'running', generation: 2, verdict: null });
    expect(task.attempt?.contract.carry).toEqual({ candidate: candidate.oid, base: candidate.base });
    expect(task.records[0]?.verdict).toBe('fail');
  });

  test('of fail at the cap halts', () => {
    const spent = { microUsd: 0, tries: 0, generations: 3, queueEntries: 0 };
    expect(taskIn(decided({ verdict: verdictOf('fail'), spent }))).toMatchObject({
      phase: 'halted',
      reason: { code: 'generations-used-up.guard-failed', of: 1 },
      verdict: { verdict: 'fail' },
    });
  });

  test('of pass queues the task', () => {
    const task = taskIn(decided({ verdict: verdictOf('pass') }));
    expect(task).toMatchObject({ phase: 'queued', reason: null });
    expect(task.records[0]?.verdict).toBe('pass');
  });
});

describe('a review', () => {
  const reviewed = issueOf(1, { body: bodyOf({ profile: ['localized', 'cross-boundary'] }) });
  const commit = candidate.oid;
  const review = (over: Partial<ObservedReview> = {}): ObservedReview => ({
    id: 1,
    actor: person(8),
    state: 'approved',
    commit,
    at: at(20),
    ...over,
  });
  const with_ = (...reviews: ObservedReview[]) =>
    taskIn(
      decideIn({
        issues: [reviewed],
        tasks: [
          guarded({ phase: 'reviewing', verdict: verdictOf('pass'), pull: { number: 9, id: 9 } }, reviewed),
        ],
        pulls: [pullOf(9, { head: commit, reviews })],
      }),
    );

  test('is asked for by the profile, and by any one of several', () => {
    const world = { issues: [reviewed], tasks: [guarded({ verdict: verdictOf('pass') }, reviewed)] };
    expect(taskIn(decideIn(world))).toMatchObject({
      phase: 'reviewing',
      reason: { code: 'waits-for-review' },
    });
    expect(with_().phase).toBe('reviewing');
  });

  test('that approves the very candidate lets it on', () => {
    expect(with_(review()).phase).toBe('queued');
  });

  test.each([
    ['another commit', { commit: oid('other') }],
    ['no commit', { commit: null }],
    ['somebody who may not write', { actor: person(8, false) }],
    ['somebody whose rights are unread', { actor: person(8, null) }],
    ['nobody who decides', { state: 'commented' }],
    ['somebody who took it back', { state: 'dismissed' }],
  ] as [string, Partial<ObservedReview>][])('of %s counts for nothing', (_what, over) => {
    expect(with_(review(over)).phase).toBe('reviewing');
  });

  test('that asks for changes outweighs an approval; of one person the last word counts', () => {
    const changes = review({ id: 2, actor: person(9), state: 'changes_requested' });
    expect(with_(review(), changes)).toMatchObject({ phase: 'running', generation: 2 });
    expect(with_(changes, review({ id: 3, actor: person(9) })).phase).toBe('queued');
    expect(with_(review(), review({ id: 4, state: 'dismissed' })).phase).toBe('reviewing');
  });
});

test('a refused tree that was taken up again is offered before anything is judged', () => {
  const decision = decided({ refused: { commit: oid('r'), findings: [] }, candidate: null });
  expect(decision.computations).toEqual([{ kind: 'publish-refused', issue: 1 }]);
});
