import type { BatchEvent } from './batch-event.ts';

export type RunState = 'idle' | 'running' | 'completed' | 'failed' | 'budget-exceeded' | 'circuit-broken';

export interface PhaseView {
  readonly name: string;
  readonly state: 'pending' | 'running' | 'done' | 'failed';
  readonly reason: string | null;
  readonly items: number;
  readonly done: number;
  readonly batches: number;
  readonly finished: number;
  readonly results: number;
  readonly costUsd: number;
  readonly maxUsd: number | null;
  /** What each worker is at, by its number. */
  readonly workers: ReadonlyMap<number, string>;
}

/** A run as it looks to somebody who watches: a fold over its events. */
export interface RunView {
  readonly state: RunState;
  readonly phases: readonly PhaseView[];
  /** The last of what happened, oldest first. */
  readonly log: readonly string[];
  readonly warnings: readonly string[];
}

export const emptyView: RunView = { state: 'idle', phases: [], log: [], warnings: [] };

const longestLog = 500;
const mostWarnings = 20;

/** The view after one more event. A phase that is done stays done, and an abort that has a name of its own keeps it. */
export function nextView(view: RunView, event: BatchEvent): RunView {
  const line = eventText(event);
  const log = line === null ? view.log : [...view.log, line].slice(-longestLog);
  const warnings =
    event.type === 'warning' ? [...view.warnings, event.message].slice(-mostWarnings) : view.warnings;
  const phases =
    event.type === 'pipeline-started'
      ? event.phases.map(pendingPhase)
      : view.phases.map((phase) =>
          'phase' in event && event.phase === phase.name ? nextPhase(phase, event) : phase,
        );
  return { state: nextState(view.state, event), phases, log, warnings };
}

function pendingPhase(name: string): PhaseView {
  return {
    name,
    state: 'pending',
    reason: null,
    items: 0,
    done: 0,
    batches: 0,
    finished: 0,
    results: 0,
    costUsd: 0,
    maxUsd: null,
    workers: new Map(),
  };
}

function nextState(state: RunState, event: BatchEvent): RunState {
  const isNamedAbort = state === 'budget-exceeded' || state === 'circuit-broken';
  switch (event.type) {
    case 'pipeline-started':
      return 'running';
    case 'budget-exceeded':
      return 'budget-exceeded';
    case 'circuit-breaker-tripped':
      return state === 'budget-exceeded' ? state : 'circuit-broken';
    case 'pipeline-completed':
      return isNamedAbort ? state : 'completed';
    case 'pipeline-failed':
      return isNamedAbort ? state : 'failed';
    default:
      return state;
  }
}

function nextPhase(phase: PhaseView, event: BatchEvent): PhaseView {
  switch (event.type) {
    case 'phase-started': {
      const { items, done, batches, max_budget_usd: maxUsd } = event;
      return { ...phase, state: phase.state === 'done' ? 'done' : 'running', items, done, batches, maxUsd };
    }
    case 'batch-started':
      return withWorker(
        phase,
        event.worker,
        `B${event.batch}${event.attempt === 0 ? '' : ` retry ${event.attempt}`}`,
      );
    case 'retry-scheduled':
      return withWorker(phase, event.worker, `B${event.batch} waits: ${event.reason}`);
    case 'batch-finished': {
      const counted = {
        ...phase,
        finished: phase.finished + 1,
        done: phase.done + event.done,
        results: phase.results + event.results,
      };
      return withWorker(counted, event.worker, null);
    }
    case 'cost-update':
      return { ...phase, costUsd: event.total_cost_usd };
    case 'phase-completed':
      return { ...phase, state: 'done', results: event.total_results, workers: new Map() };
    case 'phase-failed':
      return phase.state === 'done'
        ? phase
        : { ...phase, state: 'failed', reason: event.reason, workers: new Map() };
    default:
      return phase;
  }
}

function withWorker(phase: PhaseView, worker: number, at: string | null): PhaseView {
  const workers = new Map(phase.workers);
  if (at === null) workers.delete(worker);
  else workers.set(worker, at);
  return { ...phase, workers };
}

/** One event as a line for people; null for what only the figures show. */
export function eventText(event: BatchEvent): string | null {
  switch (event.type) {
    case 'pipeline-started':
      return `phases ${event.phases.join(', ')}; ${event.workers} workers, at most ${event.max_concurrent} agents at once`;
    case 'phase-started':
      return `${event.phase}: ${event.items} items, ${event.done} done before${event.skipped === 0 ? '' : `, ${event.skipped} left out`}; ${event.batches} batches to do`;
    case 'batch-finished':
      return `${place(event)}: ${event.reason}, ${event.done} of ${event.items} items done, ${event.results} results${event.cost_usd === null ? '' : `, ${money(event.cost_usd)}`}`;
    case 'retry-scheduled':
      return `${place(event)}: ${event.reason}, again in ${(event.delay_ms / 1000).toFixed(1)} s`;
    case 'warning':
      return `warning: ${event.phase === null ? '' : `${event.phase}: `}${event.message}`;
    case 'budget-exceeded':
      return `${event.phase}: ${event.scope === 'run' ? "the run's" : "the phase's"} budget is used up: ${money(event.cost_usd)} of ${money(event.max_budget_usd)}`;
    case 'circuit-breaker-tripped':
      return `${event.phase}: the circuit breaker tripped (${event.reason})`;
    case 'phase-completed':
      return `${event.phase}: done, ${event.total_results} results, ${event.duration_s} s`;
    case 'phase-failed':
      return `${event.phase}: not done (${event.reason})`;
    default:
      return null;
  }
}

function place(event: { readonly phase: string; readonly worker: number; readonly batch: number }): string {
  return `${event.phase} W${event.worker}B${event.batch}`;
}

export function money(usd: number): string {
  return `$${usd.toFixed(4)}`;
}
