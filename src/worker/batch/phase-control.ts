import {
  type BreakerEvent,
  type BreakerLimits,
  type BreakerState,
  closedBreaker,
  stepBreaker,
} from '../breaker.ts';
import { addUsed, isOverBudget, nothingUsed, type UsedUp } from '../budget.ts';

/** The breaker as it stands, told when it trips and in the summary. */
export interface BreakerStats {
  readonly consecutive_failures: number;
  readonly total_retries: number;
  readonly empty_results: number;
  readonly total_successes: number;
  readonly total_failures: number;
}

/** Why a phase starts nothing more. */
export type PhaseStop =
  | {
      readonly kind: 'budget';
      readonly scope: 'phase' | 'run';
      readonly microUsd: number;
      readonly maxMicroUsd: number;
    }
  | { readonly kind: 'breaker'; readonly reason: string }
  /** No other run would end otherwise: the account, the model, the program. */
  | { readonly kind: 'systemic'; readonly reason: string }
  | { readonly kind: 'cancelled' };

/** Money that several phases draw from. */
export interface RunMoney {
  /** Null: no cap. */
  readonly maxMicroUsd: number | null;
  spent: number;
}

export interface PhaseControlOptions {
  readonly limits: BreakerLimits;
  readonly maxMicroUsd: number | null;
  readonly runMoney: RunMoney;
  /** More tokens read from the cache than this trip the breaker; 0 is no guard. */
  readonly cacheReadGuard: number;
  /** Called once for each kind of stop, in the same step in which the limit was crossed. */
  readonly onStop: (stop: PhaseStop) => void;
  /** Called when more may have been used. */
  readonly onUsed?: () => void;
}

/** A run of the agent that is under way: what it has used so far. */
export interface LiveRun {
  readonly used: () => UsedUp & { readonly cacheReadTokens: number };
}

/**
 * What all workers of one phase share: breaker, money, the order to stop. Each step counts, compares and stops at once, so that
 * several runs that cross a limit together are told of as one.
 */
export class PhaseControl {
  readonly stops: PhaseStop[] = [];
  readonly #options: PhaseControlOptions;
  readonly #live = new Set<LiveRun>();
  #breaker: BreakerState = closedBreaker;
  #used = nothingUsed;
  #cacheReadTokens = 0;
  #successes = 0;
  #failures = 0;

  constructor(options: PhaseControlOptions) {
    this.#options = options;
  }

  get mayStart(): boolean {
    return this.stops.length === 0;
  }

  get used(): UsedUp {
    return this.#used;
  }

  get stats(): BreakerStats {
    return {
      consecutive_failures: this.#breaker.consecutiveFailures,
      total_retries: this.#breaker.totalRetries,
      empty_results: this.#breaker.consecutiveEmpty,
      total_successes: this.#successes,
      total_failures: this.#failures,
    };
  }

  /** What ended runs and those under way have used together. */
  get usedWithLive(): UsedUp {
    return [...this.#live].reduce((sum, run) => addUsed(sum, run.used()), this.#used);
  }

  begin(run: LiveRun): void {
    this.#live.add(run);
  }

  /** To be called whenever a run under way may have used more. */
  look(): void {
    this.#options.onUsed?.();
    this.#checkMoney(this.usedWithLive);
    const cacheRead = [...this.#live].reduce(
      (sum, run) => sum + run.used().cacheReadTokens,
      this.#cacheReadTokens,
    );
    this.#checkCacheRead(cacheRead);
  }

  /** Counts what a run has used, however it ended. */
  charge(run: LiveRun, used: UsedUp, cacheReadTokens: number): void {
    this.#live.delete(run);
    this.#used = addUsed(this.#used, used);
    this.#cacheReadTokens += cacheReadTokens;
    this.#options.runMoney.spent += used.microUsd ?? 0;
    this.look();
  }

  /** A batch that ended, or a retry that is about to be waited for. */
  step(event: BreakerEvent): void {
    if (event === 'success' || event === 'empty') this.#successes += 1;
    if (event === 'failure') this.#failures += 1;
    const wasOpen = this.#breaker.tripped !== null;
    this.#breaker = stepBreaker(this.#breaker, event, this.#options.limits);
    const { tripped } = this.#breaker;
    if (tripped !== null && !wasOpen)
      this.#stop({ kind: 'breaker', reason: breakerReasons.get(tripped) ?? 'breaker' });
  }

  /** Trips whatever the counters say. */
  trip(reason: string): void {
    this.#stop({ kind: 'breaker', reason });
  }

  exhaust(): void {
    this.#overBudget('phase', this.usedWithLive.microUsd ?? 0, this.#options.maxMicroUsd);
  }

  fail(reason: string): void {
    this.#stop({ kind: 'systemic', reason });
  }

  cancel(): void {
    this.#stop({ kind: 'cancelled' });
  }

  #checkMoney(used: UsedUp): void {
    const { maxMicroUsd, runMoney } = this.#options;
    if (maxMicroUsd !== null && isOverBudget(used, maxMicroUsd))
      this.#overBudget('phase', used.microUsd ?? 0, maxMicroUsd);
    const live = (used.microUsd ?? 0) - (this.#used.microUsd ?? 0);
    const spent = { ...used, microUsd: runMoney.spent + live };
    if (runMoney.maxMicroUsd !== null && isOverBudget(spent, runMoney.maxMicroUsd))
      this.#overBudget('run', spent.microUsd, runMoney.maxMicroUsd);
  }

  #overBudget(scope: 'phase' | 'run', microUsd: number, maxMicroUsd: number | null): void {
    this.#stop({ kind: 'budget', scope, microUsd, maxMicroUsd: maxMicroUsd ?? microUsd });
  }

  #checkCacheRead(tokens: number): void {
    const { cacheReadGuard } = this.#options;
    if (cacheReadGuard > 0 && tokens > cacheReadGuard)
      this.#stop({ kind: 'breaker', reason: cacheReadReason });
  }

  #stop(stop: PhaseStop): void {
    if (this.stops.some(({ kind }) => kind === stop.kind)) return;
    this.stops.push(stop);
    this.#options.onStop(stop);
  }
}

/** More was read from the cache than the phase's guard allows. */
export const cacheReadReason = 'cache-read-guard';

/** As they stand in docs/worker.md. */
const breakerReasons: ReadonlyMap<string, string> = new Map([
  ['consecutiveFailures', 'breaker-failures'],
  ['totalRetries', 'breaker-retries'],
  ['consecutiveEmpty', 'breaker-empty'],
]);
