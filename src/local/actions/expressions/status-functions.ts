import type { ExpressionFunction } from './evaluate.ts';

/** What came before: the state that the status functions report. */
export interface PriorStatus {
  readonly allSucceeded: boolean;
  readonly anyFailed: boolean;
  readonly cancelled: boolean;
}

/** `success()`, `failure()`, `cancelled()` and `always()` for one place in a run. */
export function statusFunctions(prior: PriorStatus): ExpressionFunction[] {
  const make = (name: string, result: boolean): ExpressionFunction => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => result,
  });
  return [
    make('success', prior.allSucceeded && !prior.cancelled),
    make('failure', prior.anyFailed && !prior.cancelled),
    make('cancelled', prior.cancelled),
    make('always', true),
  ];
}
