import type { RefusedResult } from './admit.ts';
import { type CostFigures, costFigures } from './batch-event.ts';
import type { BreakerStats, PhaseStop } from './phase-control.ts';

/** A batch that did not finish all of its items. */
export interface UnfinishedBatch {
  readonly worker: number;
  readonly batch: number;
  readonly reason: string;
  readonly ids: readonly string[];
  readonly file: string | null;
}

/** Items of a phase by what became of them, over all runs. */
export interface ItemCounts {
  readonly total: number;
  /** Finished, by this run or an earlier one. */
  readonly done: number;
  /** Of these, by this run. */
  readonly doneNow: number;
  readonly empty: number;
  /** Ran out of turns, now or in an earlier run. */
  readonly maxTurns: number;
  readonly failed: number;
  readonly interrupted: number;
  /** Never begun: the phase was stopped before. */
  readonly notStarted: number;
}

/** What one phase came to. */
export interface PhaseEnd {
  readonly phase: string;
  readonly state: 'done' | 'failed';
  /** Null when it is done. */
  readonly reason: string | null;
  readonly stops: readonly PhaseStop[];
  readonly items: ItemCounts;
  readonly batches: number;
  readonly unfinished: readonly UnfinishedBatch[];
  /** Results that go on to the next phase. */
  readonly results: readonly unknown[];
  readonly refused: readonly RefusedResult[];
  readonly repeated: number;
  readonly breaker: BreakerStats;
  readonly cost: CostFigures;
  /** What all runs on this output folder have spent on the phase, as far as their files tell. */
  readonly lifetimeMicroUsd: number;
  readonly seconds: number;
}

/** The end of a phase that could not be begun. */
export function emptyPhaseEnd(phase: string, reason: string, maxMicroUsd: number | null): PhaseEnd {
  const nothing = { inputTokens: 0, outputTokens: 0, microUsd: 0, batches: 0, estimated: false };
  return {
    phase,
    state: 'failed',
    reason,
    stops: [],
    items: {
      total: 0,
      done: 0,
      doneNow: 0,
      empty: 0,
      maxTurns: 0,
      failed: 0,
      interrupted: 0,
      notStarted: 0,
    },
    batches: 0,
    unfinished: [],
    results: [],
    refused: [],
    repeated: 0,
    breaker: {
      consecutive_failures: 0,
      total_retries: 0,
      empty_results: 0,
      total_successes: 0,
      total_failures: 0,
    },
    cost: costFigures({ ...nothing, maxMicroUsd }),
    lifetimeMicroUsd: 0,
    seconds: 0,
  };
}

/** Why a phase is not done, in one word; null when nothing is left to say. */
export function phaseFault(stops: readonly PhaseStop[], items: ItemCounts): string | null {
  const kinds = new Map(stops.map((stop) => [stop.kind, stop]));
  const first =
    kinds.get('budget') ?? kinds.get('breaker') ?? kinds.get('systemic') ?? kinds.get('cancelled');
  if (first !== undefined) return stopWord(first);
  const left = items.maxTurns + items.failed + items.interrupted + items.notStarted;
  return left === 0 ? null : 'unfinished-items';
}

function stopWord(stop: PhaseStop): string {
  switch (stop.kind) {
    case 'budget':
      return stop.scope === 'run' ? 'run-budget-exceeded' : 'budget-exceeded';
    case 'breaker':
    case 'systemic':
      return stop.reason;
    case 'cancelled':
      return 'interrupted';
  }
}
