import type { MicroUsd } from '../../domain/ids.ts';
import type { BreakerStats } from './phase-control.ts';

interface Place {
  readonly phase: string;
  readonly worker: number;
  readonly batch: number;
}

/** What a run of a pipeline tells while it goes on. Names and units as they stand in docs/batch.md. */
export type BatchEvent =
  | {
      readonly type: 'pipeline-started';
      readonly phases: readonly string[];
      readonly workers: number;
      readonly max_concurrent: number;
      readonly force: boolean;
    }
  | {
      readonly type: 'phase-started';
      readonly phase: string;
      readonly workers: number;
      readonly max_concurrent: number;
      readonly force: boolean;
      readonly model: string;
      readonly items: number;
      readonly done: number;
      readonly skipped: number;
      readonly batches: number;
      /** Null when there is no cap. */
      readonly max_budget_usd: number | null;
    }
  | ({ readonly type: 'batch-started'; readonly items: number; readonly attempt: number } & Place)
  | ({ readonly type: 'batch-finished' } & BatchFigures & Place)
  | ({
      readonly type: 'retry-scheduled';
      readonly attempt: number;
      readonly reason: string;
      readonly delay_ms: number;
    } & Place)
  | ({ readonly type: 'cost-update'; readonly phase: string } & CostFigures)
  | { readonly type: 'warning'; readonly phase: string | null; readonly message: string }
  | {
      readonly type: 'budget-exceeded';
      readonly phase: string;
      readonly scope: 'phase' | 'run';
      readonly cost_usd: number;
      readonly max_budget_usd: number;
      readonly duration_s: number;
    }
  | {
      readonly type: 'circuit-breaker-tripped';
      readonly phase: string;
      readonly reason: string;
      readonly stats: BreakerStats;
      readonly duration_s: number;
    }
  | {
      readonly type: 'phase-completed';
      readonly phase: string;
      readonly duration_s: number;
      readonly total_results: number;
    }
  | {
      readonly type: 'phase-failed';
      readonly phase: string;
      readonly reason: string;
      readonly duration_s: number;
    }
  | {
      readonly type: 'pipeline-completed';
      readonly phases: number;
      readonly results: number;
      readonly duration_s: number;
    }
  | { readonly type: 'pipeline-failed'; readonly reason: string; readonly duration_s: number };

export interface BatchFigures {
  readonly items: number;
  /** Items that are finished now. */
  readonly done: number;
  readonly results: number;
  readonly reason: string;
  readonly attempts: number;
  readonly cost_usd: number | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Of the phase, with this batch. */
  readonly cumulative_usd: number;
  /** Name of the partial; null when none was written. */
  readonly file: string | null;
}

/** What a phase has used so far. */
export interface CostFigures {
  readonly total_input_tokens: number;
  readonly total_output_tokens: number;
  readonly total_tokens: number;
  /** Four decimals. */
  readonly total_cost_usd: number;
  readonly max_budget_usd: number | null;
  readonly remaining_usd: number | null;
  /** One decimal; 0 when there is no cap. */
  readonly utilization_percent: number;
  readonly batch_count: number;
  readonly estimated: boolean;
}

/** One line of NDJSON; `ts` is UTC with milliseconds. */
export function batchEventLine(event: BatchEvent, now: number): string {
  return `${JSON.stringify({ ts: new Date(now).toISOString(), ...event })}\n`;
}

/** Micro-dollars as dollars with four decimals. */
export function dollars(microUsd: MicroUsd): number {
  return Math.round(microUsd / 100) / 10_000;
}

export function costFigures(used: {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly microUsd: number;
  readonly maxMicroUsd: number | null;
  readonly batches: number;
  readonly estimated: boolean;
}): CostFigures {
  const { inputTokens, outputTokens, microUsd, maxMicroUsd } = used;
  return {
    total_input_tokens: inputTokens,
    total_output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    total_cost_usd: dollars(microUsd),
    max_budget_usd: maxMicroUsd === null ? null : dollars(maxMicroUsd),
    remaining_usd: maxMicroUsd === null ? null : dollars(Math.max(0, maxMicroUsd - microUsd)),
    utilization_percent: maxMicroUsd === null ? 0 : Math.round((microUsd / maxMicroUsd) * 1000) / 10,
    batch_count: used.batches,
    estimated: used.estimated,
  };
}
