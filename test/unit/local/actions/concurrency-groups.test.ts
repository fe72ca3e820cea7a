import { describe, expect, it } from 'vitest';
import { ConcurrencyGroups } from '../../../../src/local/actions/runs/concurrency-groups.ts';

type Queue = 'single' | 'max';

/** A group in which everything that happens is written down; what is cancelled leaves, as a run does. */
function group() {
  const groups = new ConcurrencyGroups();
  const log: string[] = [];
  const leave = (key: string) => groups.leave('G', key);
  const enter = (key: string, queue: Queue = 'single', cancelInProgress = false, name = 'G') =>
    groups.enter(
      name,
      {
        key,
        start: () => log.push(`start ${key}`),
        cancel: () => {
          log.push(`cancel ${key}`);
          leave(key);
        },
      },
      { cancelInProgress, queue },
    );
  return { log, leave, enter };
}

describe('a concurrency group', () => {
  it('has one running and one pending; a newer one takes the pending place', () => {
    const { log, leave, enter } = group();
    for (const key of ['a', 'b', 'c']) enter(key);
    expect(log).toEqual(['start a', 'cancel b']);
    leave('a');
    expect(log.at(-1)).toBe('start c');
  });

  it('cancels what runs when told to', () => {
    const { log, enter } = group();
    enter('a');
    enter('b', 'single', true);
    expect(log).toEqual(['start a', 'cancel a', 'start b']);
  });

  it('is one whatever the case of its name', () => {
    const { log, enter } = group();
    enter('a', 'single', false, 'Deploy');
    enter('b', 'single', false, 'dePLOY');
    expect(log).toEqual(['start a']);
  });

  it('queues a hundred in order with `queue: max`, and cancels the one too many', () => {
    const { log, leave, enter } = group();
    const keys = Array.from({ length: 102 }, (_, index) => `k${index}`);
    for (const key of keys) enter(key, 'max');
    expect(log).toEqual(['start k0', 'cancel k101']);
    for (const key of keys) leave(key);
    expect(log.slice(2)).toEqual(keys.slice(1, 101).map((key) => `start ${key}`));
  });

  it('forgets a pending one that leaves', () => {
    const { log, leave, enter } = group();
    enter('a');
    enter('b');
    leave('b');
    leave('a');
    enter('c');
    expect(log).toEqual(['start a', 'start c']);
  });
});
