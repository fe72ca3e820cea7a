/** Milliseconds from a change to the save that keeps it. */
const PAUSE = 1000;
/** Milliseconds from a save that failed to the next one, when nothing changes meanwhile. */
const AFTER_FAILURE = 10_000;
/** Saving takes at most one part in so many of the time: a large state is saved less often. */
const SHARE = 10;

/** Saves some time after changes, never twice at once. */
export class Saver {
  readonly #write: () => Promise<void>;
  readonly #failed: (fault: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #closed = false;
  #isRetry = false;
  #pause = PAUSE;

  /** `failed` hears of saves in the background that did not succeed; they are tried again with the next change, or a while later. */
  constructor(write: () => Promise<void>, failed: (fault: unknown) => void) {
    this.#write = write;
    this.#failed = failed;
  }

  /** Something changed. */
  touch(): void {
    if (this.#closed || (this.#timer !== null && !this.#isRetry)) return;
    this.#schedule(this.#pause, false);
  }

  #schedule(pause: number, isRetry: boolean): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#isRetry = isRetry;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.now().catch((fault: unknown) => {
        this.#failed(fault);
        if (!this.#closed && this.#timer === null) this.#schedule(AFTER_FAILURE, true);
      });
    }, pause);
  }

  /** Saves at once, whatever has changed up to this call. Rejects when it cannot. */
  async now(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#running?.catch(() => undefined);
    this.#running = this.#save();
    await this.#running;
  }

  /** Saves for the last time: what changes from here on is nobody's any more. Rejects when it cannot. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.now();
  }

  async #save(): Promise<void> {
    const began = performance.now();
    try {
      await this.#write();
    } finally {
      this.#pause = Math.max(PAUSE, (performance.now() - began) * SHARE);
    }
  }
}
