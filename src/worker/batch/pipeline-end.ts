import type { Enforced } from '../../host/sandbox.ts';
import { dollars } from './batch-event.ts';
import type { Phase } from './load-pipeline.ts';
import type { PhaseStop } from './phase-control.ts';
import type { PhaseEnd } from './phase-end.ts';

export type PipelineState = 'completed' | 'failed' | 'budget-exceeded' | 'circuit-broken' | 'interrupted';

/** What one run of a pipeline came to. */
export interface PipelineEnd {
  readonly state: PipelineState;
  /** 64 budget, 65 circuit breaker, 1 anything else that was not finished: the first of these that applies. */
  readonly exitCode: 0 | 1 | 64 | 65;
  readonly phases: readonly PhaseEnd[];
  /** Phases that were not begun. */
  readonly pending: readonly string[];
  readonly costUsd: number;
  readonly seconds: number;
  readonly isolation: Enforced['isolation'];
  readonly network: Enforced['network'];
}

export function pipelineEnd(
  phases: readonly Pick<Phase, 'name'>[],
  ends: readonly PhaseEnd[],
  run: { readonly seconds: number; readonly spent: number; readonly enforced: Enforced },
): PipelineEnd {
  const done = new Set(ends.map(({ phase }) => phase));
  const stops = new Set(ends.flatMap((end) => end.stops.map(({ kind }) => kind)));
  const isWhole = done.size === phases.length && ends.every(({ state }) => state === 'done');
  return {
    ...conclusion(stops, isWhole),
    phases: ends,
    pending: phases.filter(({ name }) => !done.has(name)).map(({ name }) => name),
    costUsd: dollars(run.spent),
    seconds: run.seconds,
    isolation: run.enforced.isolation,
    network: run.enforced.network,
  };
}

function conclusion(
  stops: ReadonlySet<PhaseStop['kind']>,
  isWhole: boolean,
): Pick<PipelineEnd, 'state' | 'exitCode'> {
  if (stops.has('budget')) return { state: 'budget-exceeded', exitCode: 64 };
  if (stops.has('breaker')) return { state: 'circuit-broken', exitCode: 65 };
  if (stops.has('cancelled')) return { state: 'interrupted', exitCode: 1 };
  return isWhole ? { state: 'completed', exitCode: 0 } : { state: 'failed', exitCode: 1 };
}
