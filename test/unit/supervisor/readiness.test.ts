import { describe, expect, test } from 'vitest';
import type { ObservedIssue } from '../../../src/domain/snapshot.ts';
import type { TaskState } from '../../../src/domain/state.ts';
import { findCycleMembers } from '../../../src/supervisor/graph/cycles.ts';
import { bodyOf, decideIn, issueOf, taskIn, taskOf } from '../../support/snapshots.ts';

const dependent = issueOf(1, { body: bodyOf({ depends_on: [2] }) });

/** The dependent's task after a decision in which issue 2 is this task, or this issue alone. */
function waitsFor(other: Partial<TaskState> | null, issue: Partial<ObservedIssue> = {}) {
  const second = issueOf(2, { requests: [], ...issue });
  const tasks = [taskOf(dependent, { dependsOn: [2] })];
  if (other !== null) tasks.push(taskOf(second, { settled: true, ...other }));
  return taskIn(decideIn({ issues: [dependent, second], tasks }));
}

describe('a dependency', () => {
  test('that is a task of ours is met by its proven landing alone', () => {
    expect(waitsFor({ phase: 'landed' }).phase).toBe('running');
    expect(waitsFor({ phase: 'held' }, { open: false, stateReason: 'completed' })).toMatchObject({
      phase: 'waiting',
      reason: { code: 'waits-for-task', of: 2 },
    });
  });

  test.each([
    ['halted', 'predecessor-halted'],
    ['withdrawn', 'predecessor-withdrawn'],
    ['held', 'waits-for-task'],
  ] as const)('that is %s holds the task with the reason %s', (phase, code) => {
    expect(waitsFor({ phase })).toMatchObject({ phase: 'waiting', reason: { code, of: 2 } });
  });

  test('that is no task is met when people closed it as completed', () => {
    const foreign = { labels: [] };
    expect(waitsFor(null, { ...foreign, open: false, stateReason: 'completed' }).phase).toBe('running');
    expect(waitsFor(null, foreign).reason).toEqual({ code: 'waits-for-issue', of: 2 });
    expect(waitsFor(null, { ...foreign, open: false, stateReason: 'not_planned' }).reason).toEqual({
      code: 'predecessor-abandoned',
      of: 2,
    });
  });

  test('that cannot be read holds the task', () => {
    const task = taskIn(decideIn({ issues: [dependent], tasks: [taskOf(dependent, { dependsOn: [2] })] }));
    expect(task.reason).toEqual({ code: 'dependency-unknown', of: 2 });
  });

  test('of GitHub’s graph counts like a line of the body, and is read again while the task waits', () => {
    const issue = issueOf(1, { blockedBy: [3] });
    const third = issueOf(3, { labels: [], requests: [] });
    const held = taskIn(decideIn({ issues: [issue, third], tasks: [taskOf(issue)] }));
    expect(held).toMatchObject({ phase: 'waiting', dependsOn: [3], reason: { code: 'waits-for-issue' } });
    const freed = issueOf(1, { blockedBy: [] });
    expect(taskIn(decideIn({ issues: [freed, third], tasks: [held] })).phase).toBe('running');
  });
});

describe('a cycle', () => {
  test('holds each of its members by name, and frees them when an edge goes', () => {
    const one = issueOf(1, { body: bodyOf({ depends_on: [2] }) });
    const two = issueOf(2, { body: bodyOf({ depends_on: [1] }) });
    const decision = decideIn({
      issues: [one, two],
      tasks: [taskOf(one, { dependsOn: [2] }), taskOf(two, { dependsOn: [1] })],
    });
    expect(taskIn(decision, 1).reason).toEqual({ code: 'dependency-cycle', of: 1 });
    expect(taskIn(decision, 2).reason).toEqual({ code: 'dependency-cycle', of: 2 });
  });

  test('a task that depends on itself never starts', () => {
    const self = issueOf(1, { blockedBy: [1] });
    const task = taskIn(decideIn({ issues: [self], tasks: [taskOf(self, { dependsOn: [1] })] }));
    expect(task).toMatchObject({ phase: 'waiting', reason: { code: 'dependency-cycle' } });
  });
});

describe('findCycleMembers', () => {
  const members = (edges: [number, number[]][]) => [...findCycleMembers(new Map(edges))].sort();

  test('names those that can reach themselves, not those that lead into the circle', () => {
    expect(
      members([
        [1, [2]],
        [2, [3]],
        [3, [2]],
        [4, [1]],
      ]),
    ).toEqual([2, 3]);
  });

  test('edges to nodes outside the map end there', () => {
    expect(
      members([
        [1, [9]],
        [2, []],
      ]),
    ).toEqual([]);
  });

  test('a long chain does not exhaust the call stack', () => {
    const chain = Array.from({ length: 3_000 }, (_, index): [number, number[]] => [index, [index + 1]]);
    expect(members(chain)).toEqual([]);
  });
});
