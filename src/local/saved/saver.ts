/** Milliseconds from a change to the save that keeps it. */
const PAUSE = 1000;
/** Saving takes at most one part in so many of the time: a large state is saved less often. */
const SHARE = 10;

/** Saves some time after changes, never twice at once. */
export class Saver {
  readonly #write: () => Promise<void>;
  readonly #failed: (fault: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #dirty = false;
  #pause = PAUSE;

  /** `failed` hears of saves in the background that did not succeed; they are tried again with the next change. */
  constructor(write: () => Promise<void>, failed: (fault: unknown) => void) {
    this.#write = write;
    this.#failed = failed;
  }

  /** Something changed. */
  touch(): void {
    this.#dirty = true;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.now().catch(this.#failed);
    }, this.#pause);
  }

  /** Saves at once, whatever has changed up to this call. Rejects when it cannot. */
  async now(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#running?.catch(() => undefined);
    this.#running = this.#save();
    await this.#running;
  }

  /** Saves what is not saved yet, and stops. */
  async close(): Promise<void> {
    await this.#running?.catch(() => undefined);
    if (this.#dirty || this.#timer !== null) await this.now();
  }

  async #save(): Promise<void> {
    const began = performance.now();
    this.#dirty = false;
    try {
      await this.#write();
    } catch (error) {
      this.#dirty = true;
      throw error;
    } finally {
      this.#pause = Math.max(PAUSE, (performance.now() - began) * SHARE);
    }
  }
}
