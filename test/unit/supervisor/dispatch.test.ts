import { describe, expect, test } from 'vitest';
import type { ObservedRun } from '../../../src/domain/snapshot.ts';
import type { AttemptState } from '../../../src/domain/state.ts';
import {
  at,
  attemptOf,
  decideIn,
  effectsOf,
  issueOf,
  oid,
  runOf,
  takeoverMs,
  taskIn,
  taskOf,
  type World,
} from '../../support/snapshots.ts';

const issue = issueOf(1);
const running = (attempt: AttemptState) => taskOf(issue, { phase: 'running', generation: 1, attempt });
const decided = (attempt: AttemptState, world: World = {}) =>
  decideIn({ issues: [issue], tasks: [running(attempt)], ...world });
const claimed = attemptOf(issue);
const dispatched = attemptOf(issue, 1, { dispatches: 1, dispatchedAt: at(58) });
const intent = (instance: string, seconds: number, tries = 1) => ({
  intents: { 'worker.1.1': { kind: 'dispatch-worker', instance, since: at(-1000), at: at(seconds), tries } },
});
const title = (runs: readonly ObservedRun[]): World => ({ runsByTitle: [['1.1', runs]] });

describe('a dispatch', () => {
  test('is intended in state by the same decision that makes it', () => {
    const decision = decided(claimed);
    expect(effectsOf(decision, 'dispatch-worker')).toEqual([
      { kind: 'dispatch-worker', issue: 1, attempt: '1.1', contractDigest: claimed.contractDigest },
    ]);
    expect(decision.state.repository.intents['worker.1.1']).toMatchObject({ instance: 'one', tries: 1 });
    expect(taskIn(decision).attempt).toMatchObject({ dispatches: 1, runId: null });
  });

  test('whose answer was lost is looked for before it is made again', () => {
    const found = decided(dispatched, { repository: intent('one', 0), ...title([runOf(50, dispatched)]) });
    expect(effectsOf(found, 'dispatch-worker')).toEqual([]);
    expect(taskIn(found).attempt).toMatchObject({ runId: 50, dispatches: 1 });
    expect(found.state.repository.intents['worker.1.1']).toBeUndefined();
  });

  test('is not repeated before its own patience is over, which doubles', () => {
    const early = decided(dispatched, { repository: intent('one', 58, 2) });
    expect(effectsOf(early, 'dispatch-worker')).toHaveLength(1);
    const patient = decided(dispatched, { repository: intent('one', 58, 3) });
    expect(effectsOf(patient, 'dispatch-worker')).toEqual([]);
    expect(patient.wakeAt).toBe(Date.parse(at(62)));
    expect(patient.state.repository.intents['worker.1.1']).toMatchObject({ tries: 3, at: at(58) });
  });

  test('that GitHub will not take is given up, and a person is told; a run that comes late is cancelled', () => {
    const last = decided(dispatched, { repository: intent('one', -1000, 9) });
    expect(effectsOf(last, 'dispatch-worker')).toHaveLength(1);
    const crashes = { 'worker.1.1': { ...intent('one', 0, 12).intents['worker.1.1'], since: at(0) } };
    expect(taskIn(decided(dispatched, { repository: { intents: crashes } })).phase).toBe('running');
    const over = decided(dispatched, { repository: intent('one', 0, 10) });
    expect(effectsOf(over, 'dispatch-worker')).toEqual([]);
    expect(taskIn(over)).toMatchObject({ phase: 'held', reason: { code: 'worker-not-started' } });
    expect(taskIn(over).records).toMatchObject([{ attempt: '1.1', runId: null }]);
    const late = decideIn({ issues: [issue], tasks: [taskIn(over)], ...title([runOf(50, dispatched)]) });
    expect(effectsOf(late, 'cancel-run')).toMatchObject([{ runId: 50 }]);
  });

  test.each([
    ['own', 'one'],
    ['another', 'two'],
  ])('of %s instance whose clock was an hour ahead waits its patience from now, not the hour', (_, who) => {
    const ahead = decided(dispatched, { repository: intent(who, 3600) });
    expect(effectsOf(ahead, 'dispatch-worker')).toEqual([]);
    expect(ahead.state.repository.intents['worker.1.1']?.at).toBe(new Date(Date.parse(at(60))).toISOString());
    const repository = { intents: ahead.state.repository.intents };
    const later = decided(dispatched, { repository, seconds: 60 + takeoverMs / 1000 });
    expect(effectsOf(later, 'dispatch-worker')).toHaveLength(1);
  });

  test('of another instance is taken over after its patience alone', () => {
    expect(
      effectsOf(
        decided(dispatched, { repository: intent('two', 60 - takeoverMs / 1000 + 1) }),
        'dispatch-worker',
      ),
    ).toEqual([]);
    const over = decided(dispatched, { repository: intent('two', 60 - takeoverMs / 1000) });
    expect(effectsOf(over, 'dispatch-worker')).toHaveLength(1);
    expect(over.state.repository.intents['worker.1.1']).toMatchObject({ instance: 'one', tries: 2 });
    expect(taskIn(over).attempt?.dispatches).toBe(2);
    const often = decided(dispatched, { repository: intent('two', 60 - (4 * takeoverMs) / 1000, 9) });
    expect(effectsOf(often, 'dispatch-worker')).toHaveLength(1);
  });

  test.each([{ pause: { by: 'person', code: 'paused-by-command', at: at(1) } as const }, { frozen: true }])(
    'is not made while %j, but a run that came is bound',
    (repository) => {
      expect(effectsOf(decided(claimed, { repository }), 'dispatch-worker')).toEqual([]);
      const bound = decided(dispatched, { repository, ...title([runOf(50, dispatched)]) });
      expect(taskIn(bound).attempt?.runId).toBe(50);
    },
  );
});

describe('binding', () => {
  test.each([
    ['a title that names another contract', { title: 'ccd attempt 1.1 sha256:forged' }],
    ['a title that only contains ours', { title: `x ccd attempt 1.1 ${dispatched.contractDigest}` }],
    ['another actor', { actorId: 4 }],
    ['another event', { event: 'push' }],
    ['another workflow', { path: '.github/workflows/other.yml@refs/heads/ccd/run' }],
    ['a workflow whose path only begins like ours', { path: '.github/workflows/ccd-worker.yml.x@y' }],
    ['another branch', { branch: 'main' }],
    ['no branch', { branch: null }],
    ['another head', { head: oid('trunk') }],
    ['a second run attempt', { attempt: 2 }],
  ] as [string, Partial<ObservedRun>][])('never takes a run with %s', (_what, over) => {
    const run = runOf(40, dispatched, over);
    const alone = decided(dispatched, { repository: intent('one', 59), ...title([run]) });
    expect(taskIn(alone).attempt?.runId).toBeNull();
    const beside = decided(dispatched, title([run, runOf(50, dispatched)]));
    expect(taskIn(beside).attempt?.runId).toBe(50);
  });

  test('takes the lowest of several, whatever their order, and cancels the others', () => {
    const runs = [runOf(52, dispatched), runOf(50, dispatched), runOf(51, dispatched, { status: 'queued' })];
    const decision = decided(dispatched, title(runs));
    expect(taskIn(decision).attempt).toMatchObject({ runId: 50, boundAt: '2026-03-01T10:01:00.000Z' });
    expect(effectsOf(decision, 'cancel-run').map((effect) => effect.runId)).toEqual([52, 51]);
  });

  test('stays as it is when a lower run appears later', () => {
    const bound = attemptOf(issue, 1, { dispatches: 2, runId: 50, boundAt: at(3) });
    const decision = decided(bound, {
      runs: [runOf(50, bound)],
      artifacts: [[50, []]],
      ...title([runOf(49, bound), runOf(50, bound)]),
    });
    expect(taskIn(decision).attempt?.runId).toBe(50);
    expect(effectsOf(decision, 'cancel-run').map((effect) => effect.runId)).toEqual([49]);
  });

  test('leaves alone what is over already', () => {
    const runs = [runOf(50, dispatched), runOf(51, dispatched, { status: 'completed' })];
    expect(effectsOf(decided(dispatched, title(runs)), 'cancel-run')).toEqual([]);
  });
});

describe('a cancel', () => {
  const stopped = attemptOf(issue, 1, { dispatches: 1, runId: 50, boundAt: at(3), stop: 'label-removed' });
  const withdrawn = (repository: World['repository'] = {}) =>
    decideIn({
      issues: [issue],
      tasks: [taskOf(issue, { phase: 'withdrawn', generation: 1, attempt: stopped })],
      runs: [runOf(50, stopped)],
      artifacts: [[50, []]],
      repository: repository,
    });
  const cancelIntent = (seconds: number, tries: number) => ({
    intents: { 'cancel.50': { kind: 'cancel-run', instance: 'one', since: at(0), at: at(seconds), tries } },
  });

  test('goes to the bound run of a stopped attempt, is intended, and is not repeated at once', () => {
    const first = withdrawn();
    expect(effectsOf(first, 'cancel-run')).toEqual([{ kind: 'cancel-run', runId: 50, force: false }]);
    expect(first.state.repository.intents['cancel.50']).toMatchObject({ tries: 1 });
    const second = withdrawn(cancelIntent(60, 1));
    expect(effectsOf(second, 'cancel-run')).toEqual([]);
    expect(second.wakeAt).toBe(Date.parse(at(61)));
  });

  test('becomes a forced one when the run outlives several', () => {
    expect(effectsOf(withdrawn(cancelIntent(10, 3)), 'cancel-run')).toEqual([
      { kind: 'cancel-run', runId: 50, force: true },
    ]);
  });

  test('goes to runs that came after the stop, though none was ever bound', () => {
    const unbound = attemptOf(issue, 1, { dispatches: 1, stop: 'label-removed' });
    const decision = decideIn({
      issues: [issue],
      tasks: [taskOf(issue, { phase: 'withdrawn', generation: 1, attempt: unbound })],
      ...title([runOf(50, unbound)]),
    });
    expect(effectsOf(decision, 'cancel-run').map((effect) => effect.runId)).toEqual([50]);
    expect(taskIn(decision).attempt?.runId).toBeNull();
  });
});
