import { describe, expect, test } from 'vitest';
import type { Phase, TaskState } from '../../../src/domain/state.ts';
import {
  at,
  candidateOf,
  decideIn,
  effectsOf,
  endedAttempt,
  issueOf,
  oid,
  pullOf,
  runOf,
  snapshotOf,
  taskIn,
  taskOf,
  verdictOf,
  type World,
} from '../../support/snapshots.ts';

const open = issueOf(1, { labels: ['ccd:landed'] });
const closed = { ...open, open: false, stateReason: 'completed' } as const;
const refs = {
  'refs/heads/ccd/task/1': oid('c'),
  'refs/heads/ccd/attempt/1.1': oid('c'),
  'refs/heads/ccd/attempt/1.2.b': oid('b'),
  'refs/ccd/refused/1.1.1': oid('r'),
  'refs/heads/ccd/task/11': oid('x'),
  'refs/heads/ccd/attempt/11.1': oid('x'),
  'refs/heads/feature/ccd/task/1': oid('x'),
};
const landed = (over: Partial<TaskState> = {}) =>
  taskOf(open, {
    phase: 'landed',
    generation: 1,
    attempt: endedAttempt(open),
    candidate: candidateOf(open),
    verdict: verdictOf('pass'),
    landed: { build: 1, commit: oid('build'), at: at(10) },
    pull: { number: 9, id: 9 },
    statusComment: 30,
    ...over,
  });
const decided = (world: World, task = landed()) => decideIn({ tasks: [task], ...world });

describe('after a proven landing', () => {
  test('the issue is closed explicitly', () => {
    const decision = decided({ issues: [open], pulls: [pullOf(9, { open: false, merged: true })], refs });
    expect(effectsOf(decision, 'close-issue')).toEqual([{ kind: 'close-issue', issue: 1, as: 'completed' }]);
    expect(effectsOf(decided({ issues: [closed] }), 'close-issue')).toEqual([]);
  });

  test('the branches stay until GitHub shows the pull request as merged, or a deadline closes it', () => {
    const world = (seconds: number): World => ({ issues: [closed], pulls: [pullOf(9)], refs, seconds });
    const waits = decided(world(60));
    expect(waits.computations).toEqual([]);
    expect(waits.wakeAt).toBe(Date.parse(at(10 + 600)));
    expect(effectsOf(waits, 'close-pull')).toEqual([]);
    expect(effectsOf(decided(world(610)), 'close-pull')).toEqual([{ kind: 'close-pull', issue: 1, pull: 9 }]);
  });

  test('exactly the task’s own refs are deleted, each at the commit that was seen', () => {
    const decision = decided({ issues: [closed], pulls: [pullOf(9, { open: false, merged: true })], refs });
    expect(decision.computations).toEqual([
      {
        kind: 'move-refs',
        moves: [
          { ref: 'refs/ccd/refused/1.1.1', expected: oid('r'), next: '0'.repeat(40) },
          { ref: 'refs/heads/ccd/attempt/1.1', expected: oid('c'), next: '0'.repeat(40) },
          { ref: 'refs/heads/ccd/attempt/1.2.b', expected: oid('b'), next: '0'.repeat(40) },
          { ref: 'refs/heads/ccd/task/1', expected: oid('c'), next: '0'.repeat(40) },
        ],
      },
    ]);
    expect(taskIn(decision).settled).toBe(false);
  });
});

describe('a task leaves the active index', () => {
  /** The task in a world in which everything that a pass wants to show is shown already. */
  function atRest(task: TaskState, world: World) {
    const first = decideIn({ tasks: [task], ...world });
    const wanted = effectsOf(first, 'update-comment')[0]?.body ?? '';
    const [check] = effectsOf(first, 'put-guard-check');
    const guardCheck = check === undefined ? null : { id: 40, commit: check.commit, shown: check.shown };
    return decideIn({
      tasks: [{ ...task, guardCheck }],
      ...world,
      comments: [{ id: 30, number: 1, body: wanted }],
    });
  }
  const clean: World = {
    issues: [closed],
    pulls: [pullOf(9, { open: false, merged: true })],
    comments: [{ id: 30, number: 1, body: 'old' }],
  };

  test('when it landed, is shown, closed and cleaned up', () => {
    const decision = atRest(landed(), clean);
    expect(taskIn(decision).settled).toBe(true);
    expect(decision.effects).toEqual([]);
    expect(taskIn(atRest(landed(), { ...clean, issues: [open] })).settled).toBe(false);
    expect(taskIn(atRest(landed(), { ...clean, refs })).settled).toBe(false);
    const unchecked = decideIn({ ...clean, tasks: [landed()] });
    expect(effectsOf(unchecked, 'put-guard-check')).toHaveLength(1);
    expect(taskIn(unchecked).settled).toBe(false);
  });

  const halted = (over: Partial<TaskState> = {}) =>
    taskOf(open, { phase: 'halted', generation: 1, statusComment: 30, ...over });
  const quiet: World = {
    issues: [issueOf(1, { labels: ['ccd:halted'] })],
    comments: [{ id: 30, number: 1, body: 'old' }],
  };

  test('when it was given up and that is shown', () => {
    expect(taskIn(atRest(halted(), quiet)).settled).toBe(true);
  });

  test('but not while its comment differs, its label stands, or its run lives', () => {
    expect(taskIn(decideIn({ tasks: [halted()], ...quiet })).settled).toBe(false);
    const labelled = { ...quiet, issues: [issueOf(1, { labels: ['ccd:halted', 'ccd:dispatch'] })] };
    expect(
      taskIn(atRest(halted(), { ...labelled, issues: [{ ...labelled.issues[0]!, requests: [] }] })).settled,
    ).toBe(false);
    const alive = endedAttempt(open, 1, { ended: false, stop: 'cancelled-by-command' });
    const world = { ...quiet, runs: [runOf(50, alive)], artifacts: [[50, []]] as const };
    expect(taskIn(atRest(halted({ attempt: alive }), world)).settled).toBe(false);
  });

  test('but not while an intent of it waits to be tried again', () => {
    const task = halted({ refused: { commit: oid('r'), findings: [] } });
    const intents = {
      [`check.1.${oid('r')}`]: {
        kind: 'put-guard-check',
        instance: 'one',
        since: at(0),
        at: at(60),
        tries: 5,
      },
    };
    const decision = atRest(task, { ...quiet, repository: { intents } });
    expect(decision.effects).toEqual([]);
    expect(taskIn(decision).settled).toBe(false);
    expect(decision.wakeAt).toBe(Date.parse(at(60 + 16)));
  });

  test('when its comment will never stand, as on a locked issue', () => {
    const task = halted({ statusComment: null });
    const issue = issueOf(1, { labels: ['ccd:halted'] });
    const lasting = (tries: number) => ({
      intents: {
        'comment.1': { kind: 'create-status-comment', instance: 'one', since: at(-700), at: at(60), tries },
      },
    });
    const decided = (tries: number) =>
      decideIn({ tasks: [task], issues: [issue], repository: lasting(tries), seconds: 61 });
    expect(taskIn(decided(9)).settled).toBe(false);
    expect(taskIn(decided(10)).settled).toBe(true);
  });

  test.each(['waiting', 'ready', 'running', 'guarding', 'reviewing', 'queued'] as Phase[])(
    'never while %s',
    (phase) => {
      const issue = issueOf(1, { labels: ['ccd:dispatch', `ccd:${phase}`], author: open.author });
      const task = taskOf(issue, {
        phase,
        reason: { code: 'needs-confirmation', of: null },
        statusComment: 30,
      });
      expect(taskIn(atRest(task, { ...quiet, issues: [issue] })).settled).toBe(false);
    },
  );
});

test('a world at rest needs nothing', () => {
  const decision = decideIn({});
  expect(decision).toMatchObject({ computations: [], effects: [], wakeAt: null });
  expect(decision.state).toEqual(snapshotOf({}).state);
});
