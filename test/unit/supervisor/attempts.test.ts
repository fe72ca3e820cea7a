import { describe, expect, test } from 'vitest';
import type { ObservedArtifact, ObservedRun } from '../../../src/domain/snapshot.ts';
import type { AttemptState, HandoverState, TaskState } from '../../../src/domain/state.ts';
import {
  artifactOf,
  at,
  attemptOf,
  candidateOf,
  decideIn,
  issueOf,
  oid,
  policyOf,
  reportArtifact,
  reportReady,
  runOf,
  taskIn,
  taskOf,
  treeArtifact,
} from '../../support/snapshots.ts';

const issue = issueOf(1);
const bound = (over: Partial<AttemptState> = {}) =>
  attemptOf(issue, 1, { dispatches: 1, dispatchedAt: at(2), runId: 50, boundAt: at(3), ...over });
const handover = (over: Partial<HandoverState>): HandoverState => ({
  attempt: '1.1',
  artifactId: 61,
  sequence: 1,
  result: 'accepted',
  tree: oid('c1.1-tree'),
  refused: null,
  ...over,
});

interface Scene {
  readonly attempt?: AttemptState;
  readonly task?: Partial<TaskState>;
  readonly run?: Partial<ObservedRun>;
  readonly artifacts?: readonly ObservedArtifact[];
  readonly seconds?: number;
}

function followed({ attempt = bound(), task = {}, run = {}, artifacts = [], seconds = 60 }: Scene) {
  const spent = { microUsd: 0, tries: 0, generations: 1, queueEntries: 0 };
  return decideIn({
    issues: [issue],
    tasks: [taskOf(issue, { phase: 'running', generation: 1, attempt, spent, ...task })],
    runs: [runOf(50, attempt, run)],
    artifacts: [[50, artifacts]],
    seconds,
  });
}

const over = { status: 'completed', conclusion: 'success' } as const;

describe('what a run hands in', () => {
  const all = [reportArtifact(63, 50, '1.1'), treeArtifact(62, 50, '1.1', 2), treeArtifact(61, 50, '1.1', 1)];

  test('is read in the order of its trees, while the run goes on', () => {
    expect(followed({ artifacts: all }).computations).toEqual([
      { kind: 'import-handover', issue: 1, attempt: '1.1', artifactId: 61, sequence: 1 },
    ]);
    const second = { attempt: bound({ lastSequence: 1 }), task: { handovers: [handover({})] } };
    expect(followed({ ...second, artifacts: all }).computations).toMatchObject([
      { kind: 'import-handover', artifactId: 62, sequence: 2 },
    ]);
  });

  test('and its report last, after which nothing is read twice', () => {
    const handovers = [handover({}), handover({ artifactId: 62, sequence: 2 })];
    const attempt = bound({ lastSequence: 2 });
    expect(followed({ attempt, task: { handovers }, artifacts: all }).computations).toEqual([
      { kind: 'read-report', issue: 1, attempt: '1.1', artifactId: 63 },
    ]);
    const read = [...handovers, handover({ artifactId: 63, sequence: 0, result: 'report' })];
    expect(followed({ attempt, task: { handovers: read }, artifacts: all }).computations).toEqual([]);
  });

  test('is all read before a run that is over is concluded', () => {
    const decision = followed({ artifacts: all, run: over });
    expect(decision.computations).toMatchObject([{ kind: 'import-handover' }]);
    expect(taskIn(decision).attempt?.ended).toBe(false);
  });

  test('under names of another attempt, or expired, is not read', () => {
    const others = [
      treeArtifact(61, 50, '1.2', 1),
      treeArtifact(64, 50, '11.1', 1),
      artifactOf(65, 50, 'ccd-other'),
      { ...treeArtifact(66, 50, '1.1', 1), expired: true },
    ];
    expect(followed({ artifacts: others }).computations).toEqual([]);
  });

  test('by a run that was started again by hand counts for nothing', () => {
    const decision = followed({ artifacts: all, run: { attempt: 2 } });
    expect(decision.computations.filter((entry) => entry.kind === 'import-handover')).toEqual([]);
    expect(taskIn(decision)).toMatchObject({ generation: 2, phase: 'running' });
    expect(decision.effects).toContainEqual({ kind: 'cancel-run', runId: 50, force: false });
  });
});

describe('a run that is over', () => {
  const reported = (over: Partial<AttemptState> = {}) =>
    bound({ report: reportReady, lastSequence: 1, microUsd: 7, tries: 2, ...over });

  test('with a candidate and a ready report goes to the guard, and is recorded', () => {
    const task = { candidate: candidateOf(issue), handovers: [handover({})] };
    const after = taskIn(followed({ attempt: reported(), task, run: over }));
    expect(after).toMatchObject({ phase: 'guarding', generation: 1, attempt: { ended: true } });
    expect(after.records).toMatchObject([{ attempt: '1.1', runId: 50, microUsd: 7, tries: 2 }]);
  });

  test('is not concluded while it goes on, whatever its report says', () => {
    const task = { candidate: candidateOf(issue), handovers: [handover({})] };
    expect(taskIn(followed({ attempt: reported(), task }))).toMatchObject({
      phase: 'running',
      attempt: { ended: false },
    });
  });

  test('without a report was lost: the next generation takes over from the last candidate', () => {
    const candidate = candidateOf(issue);
    const after = taskIn(followed({ task: { candidate }, run: { ...over, conclusion: 'failure' } }));
    expect(after).toMatchObject({ phase: 'running', generation: 2, attempt: { id: '1.2', runId: null } });
    expect(after.carry).toEqual({ candidate: candidate.oid, base: candidate.base });
    expect(after.records).toMatchObject([{ attempt: '1.1', outcome: null }]);
  });

  test('without a candidate of its own changed nothing', () => {
    const older = candidateOf(issue, 1, { attempt: '1.9' });
    for (const candidate of [null, older]) {
      expect(taskIn(followed({ attempt: reported(), task: { candidate }, run: over })).generation).toBe(2);
    }
  });

  test('whose last tree is not the candidate is not judged by an earlier one', () => {
    const last = handover({ artifactId: 62, sequence: 2, result: 'unreadable', tree: null });
    const task = { candidate: candidateOf(issue), handovers: [handover({}), last] };
    expect(taskIn(followed({ attempt: reported({ lastSequence: 2 }), task, run: over }))).toMatchObject({
      phase: 'running',
      generation: 2,
    });
  });

  test('whose last tree may be shown on no branch goes to the next generation', () => {
    const task = {
      candidate: candidateOf(issue),
      handovers: [handover({})],
      refused: { commit: oid('refused'), findings: [] },
    };
    expect(taskIn(followed({ attempt: reported(), task, run: over }))).toMatchObject({
      phase: 'running',
      generation: 2,
      refused: null,
    });
  });

  test('at the cap of generations halts with what the last one came to', () => {
    const spent = { microUsd: 0, tries: 0, generations: 3, queueEntries: 0 };
    expect(taskIn(followed({ task: { spent }, run: over }))).toMatchObject({
      phase: 'halted',
      generation: 1,
      reason: { code: 'generations-used-up.runner-lost', of: 50 },
    });
  });

  test.each([
    ['transient', 'overloaded', 'running', null],
    ['deterministic', 'crash', 'halted', 'agent-deterministic.crash'],
    ['auth', 'refused', 'halted', 'agent-auth.refused'],
    ['budget', 'dollars', 'halted', 'agent-budget.dollars'],
    ['cancelled', 'by-hand', 'halted', 'agent-cancelled.by-hand'],
    ['empty', 'no-answer', 'halted', 'agent-empty.no-answer'],
  ] as const)('with an outcome of class %s (%s) leads to %s', (outcome, reason, phase, code) => {
    const report = { status: 'failed', outcome: { class: outcome, reason } } as const;
    const after = taskIn(followed({ attempt: reported({ report }), run: over }));
    expect([after.phase, after.reason?.code ?? null]).toEqual([phase, code]);
  });

  test('that met a usage limit waits for its end without losing a generation, and goes on from its candidate', () => {
    const met = (resetsAt: string | undefined) => ({
      status: 'blocked' as const,
      outcome: { class: 'auth' as const, reason: 'usage-limit', resetsAt },
    });
    const spent = { microUsd: 0, tries: 0, generations: 3, queueEntries: 0 };
    const candidate = candidateOf(issue);
    const concluded = (resetsAt: string | undefined) =>
      followed({ attempt: reported({ report: met(resetsAt) }), task: { spent, candidate }, run: over });
    const task = taskIn(concluded(at(5000)));
    expect(task).toMatchObject({
      phase: 'waiting',
      reason: { code: 'usage-limit' },
      spent: { generations: 2 },
      carry: { candidate: candidate.oid },
    });
    const later = (seconds: number) => decideIn({ issues: [issue], tasks: [task], seconds });
    expect(taskIn(later(4999)).phase).toBe('waiting');
    expect(later(4999).wakeAt).toBe(Date.parse(at(5000)));
    expect(taskIn(later(5000))).toMatchObject({ phase: 'running', generation: 2 });
    for (const unclear of [undefined, at(9 * 24 * 3600)]) {
      expect(taskIn(concluded(unclear))).toMatchObject({
        phase: 'halted',
        reason: { code: 'agent-auth.usage-limit' },
      });
    }
  });

  test('that GitHub no longer knows is waited for, then taken for lost', () => {
    const world = (seconds: number) =>
      decideIn({
        issues: [issue],
        tasks: [taskOf(issue, { phase: 'running', generation: 1, attempt: bound() })],
        seconds,
      });
    const waits = world(60);
    expect(taskIn(waits).generation).toBe(1);
    const deadline = 3 + 3600 + 1800;
    expect(waits.wakeAt).toBe(Date.parse(at(deadline)));
    expect(taskIn(world(deadline)).generation).toBe(2);
  });
});

describe('a run that is not over', () => {
  const bound = attemptOf(issue, 1, { dispatches: 1, runId: 50, boundAt: at(10) });
  const seen = (status: 'queued' | 'in_progress', seconds: number, attempt = bound) =>
    decideIn({
      issues: [issue],
      tasks: [taskOf(issue, { phase: 'running', generation: 1, attempt })],
      runs: [runOf(50, attempt, { status })],
      artifacts: [[50, []]],
      seconds,
    });

  test('and waits for a runner says so after a while, for as long as it waits', () => {
    const early = seen('queued', 129);
    expect(taskIn(early)).toMatchObject({ reason: null, attempt: { workingSince: null } });
    expect(early.wakeAt).toBe(Date.parse(at(130)));
    const late = seen('queued', 100_000);
    expect(taskIn(late)).toMatchObject({ phase: 'running', reason: { code: 'waits-for-runner', of: 50 } });
    expect(late.effects.filter(({ kind }) => kind === 'cancel-run')).toEqual([]);
    const begun = taskIn(seen('in_progress', 100_000));
    expect(begun).toMatchObject({
      reason: null,
      attempt: { workingSince: new Date(Date.parse(at(100_000))).toISOString() },
    });
  });

  test('is cancelled when it outlives its wall clock, counted from when it was seen at work', () => {
    const working = { ...bound, workingSince: at(5000) };
    const deadline = 5000 + 3600 + 30 * 60;
    const early = seen('in_progress', deadline - 1, working);
    expect(early.effects.filter(({ kind }) => kind === 'cancel-run')).toEqual([]);
    expect(early.wakeAt).toBe(Date.parse(at(deadline)));
    const late = seen('in_progress', deadline, working);
    expect(late.effects).toContainEqual({ kind: 'cancel-run', runId: 50, force: false });
    expect(taskIn(late)).toMatchObject({ phase: 'running', generation: 1 });
  });
});

describe('what an old generation hands in late', () => {
  const second = attemptOf(issue, 2, { dispatches: 1, runId: 70, boundAt: at(20) });
  const record = {
    attempt: '1.1',
    runId: 50,
    startedAt: at(3),
    endedAt: at(9),
    outcome: null,
    verdict: null,
    microUsd: null,
    tries: 0,
  };
  const late = (artifacts: ObservedArtifact[], handovers: HandoverState[] = []) =>
    decideIn({
      issues: [issue],
      tasks: [
        taskOf(issue, {
          phase: 'running',
          generation: 2,
          attempt: second,
          candidate: candidateOf(issue, 2),
          records: [record],
          handovers,
        }),
      ],
      runs: [runOf(70, second)],
      artifacts: [
        [50, artifacts],
        [70, []],
      ],
    });

  test('is noted as stale, once, and moves nothing', () => {
    const decision = late([treeArtifact(61, 50, '1.1', 1), reportArtifact(62, 50, '1.1')]);
    const task = taskIn(decision);
    expect(task.handovers).toMatchObject([
      { artifactId: 61, sequence: 1, result: 'stale_generation', tree: null },
    ]);
    expect(task).toMatchObject({
      candidate: candidateOf(issue, 2),
      generation: 2,
      attempt: { ...second, workingSince: expect.any(String) as string },
    });
    // Of its report the money is read, and nothing else.
    expect(decision.computations).toEqual([
      { kind: 'read-report', issue: 1, attempt: '1.1', artifactId: 62 },
    ]);
    const again = late([treeArtifact(61, 50, '1.1', 1)], task.handovers);
    expect(taskIn(again).handovers).toHaveLength(1);
    expect(again.computations).toEqual([]);
  });

  test('of a stopped attempt is stale too', () => {
    const attempt = bound({ stop: 'label-removed' });
    const decision = followed({
      attempt,
      task: { phase: 'withdrawn', records: [record] },
      artifacts: [treeArtifact(61, 50, '1.1', 1)],
    });
    expect(decision.computations).toEqual([]);
    expect(taskIn(decision).handovers).toMatchObject([{ artifactId: 61, result: 'stale_generation' }]);
  });

  test('without measure cannot make the state unreadable', () => {
    const flood = Array.from({ length: 1_500 }, (_, index) => treeArtifact(5_000 + index, 50, '1.1', index));
    expect(taskIn(late(flood)).handovers.length).toBeLessThan(1_000);
  });
});

test('a task halted by policy’s smaller cap says so', () => {
  const attempt = bound();
  const decision = decideIn(
    {
      issues: [issue],
      tasks: [
        taskOf(issue, {
          phase: 'running',
          generation: 1,
          attempt,
          spent: { microUsd: 0, tries: 0, generations: 1, queueEntries: 0 },
        }),
      ],
      runs: [runOf(50, attempt, over)],
      artifacts: [[50, []]],
    },
    policyOf({ caps: { generations: 1 } }),
  );
  expect(taskIn(decision).phase).toBe('halted');
});
