import { z } from 'zod';

/** A threshold of nothing would trip before the first run; one that is switched off is a breaker no more. */
const threshold = z.number().int().min(1).max(1_000_000);

export const breakerLimitsSchema = z.strictObject({
  consecutiveFailures: threshold.default(5),
  totalRetries: threshold.default(20),
  consecutiveEmpty: threshold.default(3),
});
export type BreakerLimits = Readonly<z.infer<typeof breakerLimitsSchema>>;

export const defaultBreakerLimits: BreakerLimits = breakerLimitsSchema.parse({});

/** What a breaker has seen; it travels with the trip. */
export interface BreakerState extends BreakerLimits {
  readonly totalSuccesses: number;
  readonly totalFailures: number;
  readonly totalEmpty: number;
  /** The limit that was reached, or `usageLimit`, which no count leads to. */
  readonly tripped: keyof BreakerLimits | 'usageLimit' | null;
}

export const closedBreaker: BreakerState = {
  consecutiveFailures: 0,
  totalRetries: 0,
  consecutiveEmpty: 0,
  totalSuccesses: 0,
  totalFailures: 0,
  totalEmpty: 0,
  tripped: null,
};

/**
 * `failure`: a run that used up its retries. `retry`: each scheduled one, counted before its wait, the agent's own too.
 * `usage-limit`: an allowance is used up, and nobody says until when.
 */
export type BreakerEvent = 'success' | 'failure' | 'retry' | 'empty' | 'usage-limit';

/**
 * The next state. Trips at the limit itself (the fifth failure) and stays tripped. An empty answer neither adds to nor
 * resets the failures; a failure does not reset the empties; retries never reset; a usage limit trips whatever was counted.
 */
export function stepBreaker(
  state: BreakerState,
  event: BreakerEvent,
  limits: BreakerLimits = defaultBreakerLimits,
): BreakerState {
  if (state.tripped !== null) return state;
  const next = count(state, event);
  if (event === 'usage-limit') return { ...next, tripped: 'usageLimit' };
  const names = ['consecutiveFailures', 'totalRetries', 'consecutiveEmpty'] as const;
  return { ...next, tripped: names.find((name) => next[name] >= limits[name]) ?? null };
}

function count(state: BreakerState, event: BreakerEvent): BreakerState {
  switch (event) {
    case 'success':
      return {
        ...state,
        consecutiveFailures: 0,
        consecutiveEmpty: 0,
        totalSuccesses: state.totalSuccesses + 1,
      };
    case 'failure':
    case 'usage-limit':
      return {
        ...state,
        consecutiveFailures: state.consecutiveFailures + 1,
        totalFailures: state.totalFailures + 1,
      };
    case 'retry':
      return { ...state, totalRetries: state.totalRetries + 1 };
    case 'empty':
      return {
        ...state,
        consecutiveEmpty: state.consecutiveEmpty + 1,
        totalEmpty: state.totalEmpty + 1,
      };
  }
}
