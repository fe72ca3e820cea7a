import { setTimeout as delay } from 'node:timers/promises';

/** Time as it is passed to everything above the shell. Milliseconds since the epoch. */
export interface Clock {
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts: never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (cause) {
      if (signal?.aborted !== true) throw cause;
    }
  },
};

/** A clock that starts from the host's and goes on steadily whatever is done to that: what lives by wall clock is not ended by a correction. */
export function createSteadyClock(
  steady: () => number = () => performance.now(),
  startMs: number = Date.now(),
): Clock {
  const bornAt = steady();
  return { now: () => Math.floor(startMs + steady() - bornAt), sleep: systemClock.sleep };
}
