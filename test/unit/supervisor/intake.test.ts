import { describe, expect, test } from 'vitest';
import type { ObservedIssue } from '../../../src/domain/snapshot.ts';
import type { Phase } from '../../../src/domain/state.ts';
import {
  artifactOf,
  at,
  attemptOf,
  bodyOf,
  decideIn,
  effectsOf,
  issueOf,
  labelEvent,
  labeller,
  outsider,
  person,
  pullOf,
  runOf,
  taskIn,
  taskOf,
} from '../../support/snapshots.ts';

const admitted = (issue: ObservedIssue) => taskIn(decideIn({ issues: [issue] }));

describe('a label event', () => {
  test('of a writer starts the task, is consumed and pins what was echoed', () => {
    const issue = issueOf(1);
    const task = admitted(issue);
    expect(task).toMatchObject({
      phase: 'running',
      generation: 1,
      consumedEvents: [101],
      bodyDigest: issue.bodyDigest,
      request: { eventId: 101, actorId: 2, login: labeller.login, at: at(0) },
    });
  });

  test('is consumed once: a task at rest does not start again by it', () => {
    const issue = issueOf(1);
    const task = taskOf(issue, { phase: 'halted', generation: 3 });
    expect(taskIn(decideIn({ issues: [issue], tasks: [task] }))).toMatchObject({
      phase: 'halted',
      generation: 3,
    });
  });

  test('while the task is at work is consumed without effect', () => {
    const issue = issueOf(1, { requests: [labelEvent(101), labelEvent(102, { at: at(4) })] });
    const attempt = attemptOf(issue);
    const task = taskOf(issue, { phase: 'running', generation: 1, attempt, consumedEvents: [101] });
    const after = taskIn(decideIn({ issues: [issue], tasks: [task] }));
    expect(after).toMatchObject({ phase: 'running', generation: 1, consumedEvents: [101, 102] });
    expect(after.request?.eventId).toBe(101);
    expect(after.labelledBy).toEqual([labeller.id]);
  });

  test('on a task that landed is consumed, and its label is taken off again', () => {
    const issue = issueOf(1, { open: false, requests: [labelEvent(101), labelEvent(102, { at: at(4) })] });
    const task = taskOf(issue, { phase: 'landed', consumedEvents: [101], settled: true });
    const decision = decideIn({ issues: [issue], tasks: [task] });
    expect(taskIn(decision)).toMatchObject({ phase: 'landed', consumedEvents: [101, 102], settled: false });
    expect(effectsOf(decision, 'set-labels')).toMatchObject([{ issue: 1, remove: ['ccd:dispatch'] }]);
  });

  test('of somebody without write access starts nothing and says so', () => {
    const task = admitted(issueOf(1, { requests: [labelEvent(101, { actor: person(4, false) })] }));
    expect(task).toMatchObject({ phase: 'withdrawn', generation: 0, consumedEvents: [101] });
    expect(task.reason?.code).toBe('labeller-may-not-write');
  });

  test('waits, unconsumed, while the rights of its actor are unread', () => {
    const task = admitted(issueOf(1, { requests: [labelEvent(101, { actor: person(4, null) })] }));
    expect(task).toMatchObject({ phase: 'waiting', consumedEvents: [], request: null });
  });

  test('does not count when the label is gone again', () => {
    const issue = issueOf(1, { labels: [], requests: [labelEvent(101), labelEvent(102)] });
    const task = taskOf(issue, { phase: 'halted', consumedEvents: [101] });
    expect(taskIn(decideIn({ issues: [issue], tasks: [task] }))).toMatchObject({
      phase: 'halted',
      consumedEvents: [101, 102],
    });
  });

  test('on a closed issue starts nothing', () => {
    expect(decideIn({ issues: [issueOf(1, { open: false })] }).state.tasks.size).toBe(0);
  });
});

describe('an edit and a request', () => {
  const editedAt = (lastEditedAt: string) =>
    admitted(issueOf(1, { lastEditedAt, requests: [labelEvent(101, { at: at(10) })] }));

  test.each([at(10), at(11), new Date(Date.parse(at(10)) + 999).toISOString()])(
    'in the same second or later (%s): the edit counts as after, nothing starts',
    (edited) => {
      expect(editedAt(edited)).toMatchObject({ phase: 'withdrawn', generation: 0 });
      expect(editedAt(edited).reason?.code).toBe('edited-after-request');
    },
  );

  test('an edit in an earlier second does no harm', () => {
    expect(editedAt(at(9)).phase).toBe('running');
  });
});

describe('what the spec and its author decide', () => {
  test('an author without write access: nothing starts before a confirmation', () => {
    const task = admitted(issueOf(1, { author: outsiderWithoutRights() }));
    expect(task).toMatchObject({ phase: 'waiting', generation: 0 });
    expect(task.reason?.code).toBe('needs-confirmation');
  });

  test('an author whose rights are unread counts as one without', () => {
    expect(admitted(issueOf(1, { author: person(9, null) })).reason?.code).toBe('needs-confirmation');
  });

  test('an invalid spec is echoed with its problems, and nothing starts', () => {
    const decision = decideIn({ issues: [issueOf(1, { body: bodyOf({ allowed_paths: null }) })] });
    expect(taskIn(decision)).toMatchObject({ phase: 'invalid', generation: 0, specDigest: null });
    expect(effectsOf(decision, 'create-status-comment')[0]?.body).toContain('allowed_paths');
    expect(effectsOf(decision, 'dispatch-worker')).toEqual([]);
    expect(effectsOf(decision, 'set-labels')[0]).toMatchObject({
      add: ['ccd:invalid'],
      remove: ['ccd:dispatch'],
    });
  });

  const outsiderWithoutRights = () => ({ ...outsider, mayWrite: false });
});

describe('a second request', () => {
  const issue = issueOf(1, { requests: [labelEvent(101), labelEvent(102, { at: at(20) })] });

  test.each<Phase>(['halted', 'held', 'withdrawn', 'invalid'])(
    'starts a task that rests as %s with fresh caps and a higher generation',
    (phase) => {
      const task = taskOf(issue, {
        phase,
        settled: true,
        generation: 3,
        consumedEvents: [101],
        spent: { microUsd: 4, tries: 2, generations: 3, queueEntries: 5 },
      });
      expect(taskIn(decideIn({ issues: [issue], tasks: [task] }))).toMatchObject({
        phase: 'running',
        generation: 4,
        settled: false,
        consumedEvents: [101, 102],
        spent: { microUsd: 4, generations: 1, queueEntries: 0 },
      });
    },
  );

  test('never starts a landed task', () => {
    const landed = { build: 1, commit: 'a'.repeat(40), at: at(3) };
    const task = taskOf(issue, { phase: 'landed', landed, generation: 1, consumedEvents: [101] });
    expect(taskIn(decideIn({ issues: [issue], tasks: [task] }))).toMatchObject({
      phase: 'landed',
      generation: 1,
    });
  });

  test('waits, with its label, until the old run was seen over', () => {
    const attempt = attemptOf(issue, 1, { runId: 50, boundAt: at(3), stop: 'cancelled-by-command' });
    const task = taskOf(issue, { phase: 'withdrawn', generation: 1, attempt, consumedEvents: [101] });
    const world = { issues: [issue], tasks: [task], artifacts: [[50, []]] as const };
    const during = decideIn({ ...world, runs: [runOf(50, attempt)] });
    expect(taskIn(during)).toMatchObject({ phase: 'withdrawn', consumedEvents: [101], settled: false });
    expect(effectsOf(during, 'set-labels').flatMap((effect) => effect.remove)).not.toContain('ccd:dispatch');
    const over = decideIn({ ...world, runs: [runOf(50, attempt, { status: 'completed' })] });
    const next = decideIn({ ...world, tasks: [taskIn(over)] });
    expect(taskIn(next)).toMatchObject({ phase: 'running', generation: 2 });
  });

  test('forgets a pull request that was closed, so that it does not hold the task again', () => {
    const pull = { number: 8, id: 8 };
    const task = taskOf(issue, { phase: 'held', generation: 1, pull, consumedEvents: [101] });
    const closed = decideIn({ issues: [issue], tasks: [task], pulls: [pullOf(8, { open: false })] });
    expect(taskIn(closed)).toMatchObject({ phase: 'running', pull: null });
    const open = decideIn({ issues: [issue], tasks: [task], pulls: [pullOf(8)] });
    expect(taskIn(open)).toMatchObject({ phase: 'running', pull });
  });
});

test('an alarm stops everything: no state, no effect', () => {
  const decision = decideIn({
    issues: [issueOf(1)],
    alarms: [{ code: 'state-rolled-back', detail: 'gone' }],
    artifacts: [[1, [artifactOf(1, 1, 'ccd-x')]]],
  });
  expect(decision).toMatchObject({ computations: [], effects: [], wakeAt: null });
  expect(decision.state.tasks.size).toBe(0);
});
