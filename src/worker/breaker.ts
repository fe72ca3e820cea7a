export interface BreakerLimits {
  readonly consecutiveFailures: number;
  readonly totalRetries: number;
  readonly consecutiveEmpty: number;
}

export const defaultBreakerLimits: BreakerLimits = {
  consecutiveFailures: 5,
  totalRetries: 20,
  consecutiveEmpty: 3,
};

export interface BreakerState extends BreakerLimits {
  readonly tripped: keyof BreakerLimits | null;
}

export const closedBreaker: BreakerState = {
  consecutiveFailures: 0,
  totalRetries: 0,
  consecutiveEmpty: 0,
  tripped: null,
};

/** `failure`: a run that used up its retries. `retry`: each scheduled one, counted before its wait. */
export type BreakerEvent = 'success' | 'failure' | 'retry' | 'empty';

/**
 * The next state. Trips at the limit itself (the fifth failure) and stays tripped. An empty answer neither adds to nor
 * resets the failures; a failure does not reset the empties; retries never reset.
 */
export function stepBreaker(
  state: BreakerState,
  event: BreakerEvent,
  limits: BreakerLimits = defaultBreakerLimits,
): BreakerState {
  if (state.tripped !== null) return state;
  const next = count(state, event);
  const names = ['consecutiveFailures', 'totalRetries', 'consecutiveEmpty'] as const;
  return { ...next, tripped: names.find((name) => next[name] >= limits[name]) ?? null };
}

function count(state: BreakerState, event: BreakerEvent): BreakerState {
  switch (event) {
    case 'success':
      return { ...state, consecutiveFailures: 0, consecutiveEmpty: 0 };
    case 'failure':
      return { ...state, consecutiveFailures: state.consecutiveFailures + 1 };
    case 'retry':
      return { ...state, totalRetries: state.totalRetries + 1 };
    case 'empty':
      return { ...state, consecutiveEmpty: state.consecutiveEmpty + 1 };
  }
}
