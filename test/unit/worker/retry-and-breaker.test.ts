import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BreakerEvent,
  type BreakerLimits,
  breakerLimitsSchema,
  closedBreaker,
  stepBreaker,
} from '../../../src/worker/breaker.ts';
import { retryDelayMs, serverWishMs, usagePauseMs } from '../../../src/worker/retry.ts';

const events = fc.array(fc.constantFrom<BreakerEvent>('success', 'failure', 'retry', 'empty'), {
  maxLength: 80,
});
const limitsOf = fc.record({
  consecutiveFailures: fc.integer({ min: 1, max: 8 }),
  totalRetries: fc.integer({ min: 1, max: 30 }),
  consecutiveEmpty: fc.integer({ min: 1, max: 6 }),
});

/** What the counters have to be, told from the whole list and not step by step. */
function counted(list: readonly BreakerEvent[]): BreakerLimits {
  const since = list.lastIndexOf('success') + 1;
  const number = (event: BreakerEvent, from: number) =>
    list.slice(from).filter((one) => one === event).length;
  return {
    consecutiveFailures: number('failure', since),
    totalRetries: number('retry', 0),
    consecutiveEmpty: number('empty', since),
  };
}

describe('the breaker', () => {
  it('trips exactly once, at the first event that reaches a limit, and tells what it has seen', () => {
    fc.assert(
      fc.property(events, limitsOf, (list, limits) => {
        let state = closedBreaker;
        let trips = 0;
        for (const event of list) {
          const next = stepBreaker(state, event, limits);
          if (state.tripped === null && next.tripped !== null) trips += 1;
          state = next;
        }
        const names = ['consecutiveFailures', 'totalRetries', 'consecutiveEmpty'] as const;
        const reached = list.findIndex((_event, index) => {
          const so = counted(list.slice(0, index + 1));
          return names.some((name) => so[name] >= limits[name]);
        });
        expect(trips).toBe(reached < 0 ? 0 : 1);
        const seen = reached < 0 ? list : list.slice(0, reached + 1);
        expect(state).toMatchObject(counted(seen));
        expect(state.totalSuccesses).toBe(seen.filter((event) => event === 'success').length);
        expect(state.totalFailures).toBe(seen.filter((event) => event === 'failure').length);
        expect(state.totalEmpty).toBe(seen.filter((event) => event === 'empty').length);
      }),
    );
  });

  it('trips at once at a usage limit without a time', () => {
    fc.assert(
      fc.property(events, (list) => {
        const limits = { consecutiveFailures: 1000, totalRetries: 1000, consecutiveEmpty: 1000 };
        const state = list.reduce((so, event) => stepBreaker(so, event, limits), closedBreaker);
        expect(stepBreaker(state, 'usage-limit', limits).tripped).toBe('usageLimit');
      }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN, '5', null])('has no threshold of %s', (threshold) => {
    for (const name of Object.keys(breakerLimitsSchema.parse({})))
      expect(breakerLimitsSchema.safeParse({ [name]: threshold }).success).toBe(false);
  });
});

describe('the wait before a retry', () => {
  const at = 1_000_000;
  it('follows what is left of the server\u2019s wish, and 10 s after a 429 that names none', () => {
    expect(serverWishMs(null, at)).toBeNull();
    expect(serverWishMs({ status: 429, retryAfterMs: 7000, at }, at + 2000)).toBe(5000);
    expect(serverWishMs({ status: 429, retryAfterMs: 7000, at }, at + 8000)).toBeNull();
    expect(serverWishMs({ status: 429, retryAfterMs: null, at }, at)).toBe(10_000);
    expect(serverWishMs({ status: 500, retryAfterMs: null, at }, at)).toBeNull();
    expect(retryDelayMs(0, 0, serverWishMs({ status: 529, retryAfterMs: 30_000, at }, at))).toBe(30_000);
  });

  it('pauses until shortly after a usage limit\u2019s end, and only when that is known and in time', () => {
    const end = new Date(at + 60_000).toISOString();
    expect(usagePauseMs(end, at, at + 100_000, 0)).toBe(61_000);
    expect(usagePauseMs(end, at, at + 100_000, 1)).toBe(65_000);
    expect(usagePauseMs(end, at, at + 60_000, 0)).toBeNull();
    expect(usagePauseMs(end, at + 60_000, at + 100_000, 0)).toBeNull();
    expect(usagePauseMs(null, at, at + 100_000, 0)).toBeNull();
    expect(usagePauseMs('tomorrow', at, at + 100_000, 0)).toBeNull();
  });
});
