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
