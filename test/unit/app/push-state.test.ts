import { expect, test } from 'vitest';
import { changedFiles } from '../../../src/app/push-state.ts';
import { issueOf, snapshotOf, taskOf } from '../../support/snapshots.ts';

const { state } = snapshotOf({ tasks: [taskOf(issueOf(1))] });

test('only what differs is written', () => {
  expect([...changedFiles(state, state).keys()]).toEqual([]);
  const repository = { ...state.repository, frozen: true };
  expect([...changedFiles(state, { ...state, repository }).keys()]).toEqual(['repository.json']);
});

test.each([
  ['the repository', { repository: { ...state.repository, nextBuild: 0 } }],
  ['the queue', { queue: { ...state.queue, members: Array.from({ length: 10_001 }, () => ({}) as never) } }],
  ['a task', { tasks: new Map([[1, { ...state.tasks.get(1)!, generation: -1 }]]) }],
])('a state of %s that could not be read again is not written', (_what, over) => {
  expect(() => changedFiles(state, { ...state, ...over })).toThrow(
    expect.objectContaining({ code: 'bug.state-unreadable' }),
  );
});
