import type { TaskSpec } from '../domain/spec.ts';
import { matchesAny } from '../guard/model/path-pattern.ts';
import type { Clock } from '../host/clock.ts';
import type { WorkTreeReading } from './work-tree/work-tree.ts';

/** A tree is worth showing when it changes something inside the allowed paths. */
export function isMeaningful(reading: WorkTreeReading, spec: Pick<TaskSpec, 'allowedPaths'>): boolean {
  return reading.changed.some(({ path }) => matchesAny(path, spec.allowedPaths));
}

export interface TreeWatchOptions {
  readonly read: () => Promise<WorkTreeReading>;
  readonly spec: Pick<TaskSpec, 'allowedPaths'>;
  /** True while no tree of the attempt was handed over: the first one is looked for at once, later ones as checkpoints. */
  readonly isFirst: boolean;
  /** Called with a meaningful tree; answers true when it is handed over, and false when the next look is to try again. */
  readonly onTree: (reading: WorkTreeReading) => Promise<boolean>;
  readonly onFault: (fault: unknown) => void;
  readonly pollMs: number;
  readonly gapMs: number;
  /** Time from a tree that was handed over to the next look. */
  readonly checkpointMs: number;
  readonly clock: Clock;
}

/**
 * Looks at the work tree while the agent works, until `close` is called: for the first meaningful tree when it is nudged
 * (tool results came in) and every few seconds, never twice at once and not more often than the gap allows; once a tree was
 * handed over, at checkpoints only, so that losing the machine loses minutes.
 */
export class TreeWatch {
  readonly #options: TreeWatchOptions;
  readonly #closed = new AbortController();
  readonly #running: Promise<void>;
  #wake: () => void = () => undefined;
  #nudged = false;

  constructor(options: TreeWatchOptions) {
    this.#options = options;
    this.#running = this.#watch();
  }

  nudge(): void {
    this.#nudged = true;
    this.#wake();
  }

  /** Ends the watch; a look that is under way is waited for. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
  }

  async #watch(): Promise<void> {
    const { clock, gapMs, checkpointMs, isFirst } = this.#options;
    if (!isFirst) await clock.sleep(checkpointMs, this.#closed.signal);
    while (!this.#closed.signal.aborted) {
      await this.#nextReason();
      if (this.#closed.signal.aborted) return;
      const saved = await this.#look();
      await clock.sleep(saved ? checkpointMs : gapMs, this.#closed.signal);
    }
  }

  async #nextReason(): Promise<void> {
    const { clock, pollMs } = this.#options;
    const wake = new AbortController();
    this.#wake = () => wake.abort();
    if (!this.#nudged) await clock.sleep(pollMs, AbortSignal.any([wake.signal, this.#closed.signal]));
    this.#nudged = false;
  }

  async #look(): Promise<boolean> {
    try {
      const reading = await this.#options.read();
      if (!isMeaningful(reading, this.#options.spec)) return false;
      return await this.#options.onTree(reading);
    } catch (fault) {
      this.#options.onFault(fault);
      return false;
    }
  }
}
