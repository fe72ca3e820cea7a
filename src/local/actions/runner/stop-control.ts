/** Whether and how a job was asked to stop, and what is to be told of it. */
export class StopControl {
  /** True from a cancellation or an overrun job on: what `cancelled()` says. */
  cancelled = false;
  forced = false;
  readonly #grace: number;
  /** Resolves at the first request. */
  readonly requested: Promise<void>;
  #tellRequested = () => {};
  #current: ((now: boolean) => void) | null = null;
  #knownToStep = false;
  #timer: NodeJS.Timeout | null = null;

  /** `grace`: milliseconds that the steps after a first request may take before all is killed. */
  constructor(grace: number) {
    this.#grace = grace;
    this.requested = new Promise((resolve) => {
      this.#tellRequested = resolve;
    });
  }

  /** Asks the job to stop; the step that runs now is signalled, later ones see `cancelled()`. */
  request(force: boolean): void {
    const again = this.cancelled;
    this.cancelled = true;
    this.forced ||= force;
    this.#tellRequested();
    this.#timer ??= setTimeout(() => this.request(true), this.#grace);
    if (force || !again) this.#current?.(force);
  }

  /** A step is about to look at its condition: from here on a request is for it. */
  beginStep(): void {
    this.#knownToStep = this.cancelled;
  }

  /** Registers the step that runs now; the answer unregisters it. A request since `beginStep` reaches it at once. */
  enter(stop: (now: boolean) => void): () => void {
    this.#current = stop;
    if (this.forced) stop(true);
    else if (this.cancelled && !this.#knownToStep) stop(false);
    return () => {
      if (this.#current === stop) this.#current = null;
    };
  }

  /** The job is over. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }
}
