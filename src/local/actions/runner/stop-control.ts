/** Whether and how a job was asked to stop, and what is to be told of it. */
export class StopControl {
  /** True from a cancellation or an overrun job on: what `cancelled()` says. */
  cancelled = false;
  forced = false;
  #current: ((now: boolean) => void) | null = null;

  /** Asks the job to stop; the step that runs now is signalled, later ones see `cancelled()`. */
  request(force: boolean): void {
    const again = this.cancelled;
    this.cancelled = true;
    this.forced ||= force;
    if (force || !again) this.#current?.(force);
  }

  /** Registers the step that runs now; the answer unregisters it. */
  enter(stop: (now: boolean) => void): () => void {
    this.#current = stop;
    if (this.forced) stop(true);
    return () => {
      if (this.#current === stop) this.#current = null;
    };
  }
}
