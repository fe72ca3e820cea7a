import { describe, expect, test } from 'vitest';
import type { ObservedIssue } from '../../../src/domain/snapshot.ts';
import type { Phase, TaskState } from '../../../src/domain/state.ts';
import {
  attemptOf,
  bodyOf,
  candidateOf,
  decideIn,
  effectsOf,
  endedAttempt,
  issueOf,
  memberOf,
  offeredBuild,
  oid,
  pullOf,
  runOf,
  taskIn,
  taskOf,
  treeArtifact,
  verdictOf,
} from '../../support/snapshots.ts';

const issue = issueOf(1);
const bound = attemptOf(issue, 1, { dispatches: 1, runId: 50, boundAt: '2026-03-01T10:00:03Z' });

function takenBack(seen: Partial<ObservedIssue>, over: Partial<TaskState> = {}) {
  return decideIn({
    issues: [{ ...issue, ...seen }],
    tasks: [taskOf(issue, { phase: 'running', generation: 1, attempt: bound, ...over })],
    runs: [runOf(50, bound)],
    artifacts: [[50, []]],
  });
}

const edited = issueOf(1, { body: bodyOf({ objective: 'Something else.' }) });

describe('people take back what they asked for', () => {
  test.each([
    ['by removing the label', 'label-removed', { labels: ['ccd:running'] }],
    ['by closing the issue', 'issue-closed', { open: false, stateReason: 'completed' }],
    ['by editing the body', 'spec-edited', edited],
    ['by editing the title', 'spec-edited', issueOf(1, { title: 'Other', body: issue.body })],
  ] as [string, string, Partial<ObservedIssue>][])('%s: the run is cancelled', (_how, code, seen) => {
    const decision = takenBack(seen);
    expect(taskIn(decision)).toMatchObject({
      phase: 'withdrawn',
      reason: { code },
      generation: 1,
      attempt: { stop: code },
      records: [{ attempt: '1.1', runId: 50 }],
    });
    expect(effectsOf(decision, 'cancel-run')).toEqual([{ kind: 'cancel-run', runId: 50, force: false }]);
  });

  test.each(['running', 'guarding', 'queued', 'waiting'] as Phase[])(
    'by deleting or moving the issue while it is %s: the others go on',
    (phase) => {
      const other = issueOf(2);
      const task = taskOf(issue, { phase, generation: 1, attempt: bound, candidate: candidateOf(issue) });
      const world = {
        issues: [other],
        tasks: [task],
        runs: [runOf(50, bound)],
        artifacts: [[50, []]] as const,
      };
      const decision = decideIn(world);
      expect(taskIn(decision)).toMatchObject({ phase: 'withdrawn', reason: { code: 'issue-gone' } });
      expect(decision.computations).toEqual([]);
      expect(taskIn(decision, 2)).toMatchObject({ phase: 'running', generation: 1 });
      const ended = { ...taskIn(decision), attempt: { ...bound, stop: 'issue-gone', ended: true } };
      expect(taskIn(decideIn({ issues: [other], tasks: [ended] })).settled).toBe(true);
    },
  );

  test.each(['running', 'guarding', 'queued'] as Phase[])(
    'by a policy that no longer allows the spec while it is %s: a person decides',
    (phase) => {
      const now = issueOf(1, { body: bodyOf({ kind: 'nope' }) });
      const attempt = phase === 'running' ? bound : endedAttempt(issue);
      const task = taskOf(now, { phase, generation: 1, attempt, candidate: candidateOf(issue) });
      const seen = { runs: [runOf(50, bound)], artifacts: [[50, [treeArtifact(61, 50, '1.1', 1)]]] as const };
      const decision = decideIn({ issues: [now], tasks: [task], ...seen });
      expect(taskIn(decision)).toMatchObject({ phase: 'held', reason: { code: 'spec-invalid' } });
      expect(decision.computations).toEqual([]);
    },
  );

  test.each(['waiting', 'ready'] as Phase[])('before the claim (%s) nothing was started', (phase) => {
    const decision = takenBack({ labels: [] }, { phase, generation: 0, attempt: null });
    expect(taskIn(decision)).toMatchObject({ phase: 'withdrawn', generation: 0, records: [] });
    expect(effectsOf(decision, 'cancel-run')).toEqual([]);
  });

  test.each(['guarding', 'reviewing', 'queued'] as Phase[])('while it is %s, too', (phase) => {
    const over = { phase, attempt: endedAttempt(issue), candidate: candidateOf(issue) };
    expect(taskIn(takenBack({ labels: [] }, over)).phase).toBe('withdrawn');
  });

  test.each(['halted', 'held', 'landed', 'invalid'] as Phase[])('a task that rests as %s stays', (phase) => {
    const over = { phase, attempt: null, settled: true };
    expect(taskIn(takenBack({ labels: [], open: false }, over)).phase).toBe(phase);
  });

  test('a stopped run that ends is recorded, and starts no generation', () => {
    const stopped = { ...bound, stop: 'label-removed' };
    const decision = decideIn({
      issues: [{ ...issue, labels: [] }],
      tasks: [taskOf(issue, { phase: 'withdrawn', generation: 1, attempt: stopped })],
      runs: [runOf(50, stopped, { status: 'completed' })],
      artifacts: [[50, []]],
    });
    expect(taskIn(decision)).toMatchObject({ phase: 'withdrawn', generation: 1, attempt: { ended: true } });
    expect(effectsOf(decision, 'cancel-run')).toEqual([]);
  });
});

describe('a pull request', () => {
  const candidate = candidateOf(issue);
  const decided = (pull: Parameters<typeof pullOf>[1]) =>
    decideIn({
      issues: [issue],
      tasks: [
        taskOf(issue, {
          phase: 'queued',
          generation: 1,
          attempt: endedAttempt(issue),
          candidate,
          verdict: verdictOf('pass'),
          pull: { number: 9, id: 9 },
        }),
      ],
      pulls: [pullOf(9, { head: candidate.oid, draft: false, ...pull })],
      members: [memberOf(1, candidate.oid)],
      build: offeredBuild([memberOf(1, candidate.oid)]),
      refs: { 'refs/heads/ccd/queue/1': oid('build') },
    });

  test('that a person closed holds the task, and its build ends in the same pass', () => {
    const decision = decided({ open: false });
    expect(taskIn(decision)).toMatchObject({ phase: 'held', reason: { code: 'pull-closed' } });
    expect(decision.state.queue).toMatchObject({ members: [], build: null });
    expect(decision.computations).toContainEqual({
      kind: 'move-refs',
      moves: [{ ref: 'refs/heads/ccd/queue/1', expected: oid('build'), next: '0'.repeat(40) }],
    });
  });

  test('that GitHub shows as merged holds nothing', () => {
    expect(taskIn(decided({ open: false, merged: true })).phase).toBe('queued');
  });
});
