import type { ApiClock } from './client-options.ts';

/** Lets writes through one after the other, `gapMs` after the end of the one before. 0: one after the other, no gap. */
export class WritePace {
  readonly #clock: ApiClock;
  readonly #gapMs: number;
  #tail: Promise<void> = Promise.resolve();
  #lastEndMs = Number.NEGATIVE_INFINITY;

  constructor(clock: ApiClock, gapMs: number) {
    this.#clock = clock;
    this.#gapMs = gapMs;
  }

  async run<T>(write: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(() => this.#gap()).then(write);
    this.#tail = turn.then(
      () => this.#ended(),
      () => this.#ended(),
    );
    return turn;
  }

  async #gap(): Promise<void> {
    // A clock that was put back must not make anybody wait for the difference.
    const waitMs = Math.min(this.#gapMs, this.#lastEndMs + this.#gapMs - this.#clock.now());
    if (waitMs > 0) await this.#clock.sleep(waitMs);
  }

  #ended(): void {
    this.#lastEndMs = this.#clock.now();
  }
}
