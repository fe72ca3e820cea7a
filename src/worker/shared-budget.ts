import type { MicroUsd } from '../domain/ids.ts';

export type BudgetLevel = 'try' | 'attempt' | 'phase' | 'run';

/** Money set aside for one request that is under way; given back when its answer was counted. */
export interface Reservation {
  release(): void;
}

/**
 * Money of one level, within that of the level above. Spending exactly the limit is allowed; the first micro-dollar more trips
 * it. All runs that hold the same budget spend from it, failed and repeated ones too.
 *
 * Before a request its likely cost is set aside. A request alone may always go while anything is left: the answer that
 * crosses the limit is delivered, so the overshoot is one answer. Several at once go only as far as what is left covers
 * all of them, else the later ones wait for an earlier one's end: they cannot overshoot by one answer each.
 */
export class SharedBudget {
  readonly level: BudgetLevel;
  readonly maxMicroUsd: MicroUsd;
  readonly #parent: SharedBudget | null;
  #spent: MicroUsd = 0;
  #reserved: MicroUsd = 0;
  #underWay = 0;
  #waiting: (() => void)[] = [];

  constructor(level: BudgetLevel, maxMicroUsd: MicroUsd, parent: SharedBudget | null = null) {
    this.level = level;
    this.maxMicroUsd = maxMicroUsd;
    this.#parent = parent;
  }

  get spent(): MicroUsd {
    return this.#spent;
  }

  /** What is left here and at every level above; never negative. */
  get left(): MicroUsd {
    return this.#lowest((one) => Math.max(0, one.maxMicroUsd - one.#spent));
  }

  /** The lowest level that was overspent, or null. */
  get over(): BudgetLevel | null {
    if (this.#spent > this.maxMicroUsd) return this.level;
    return this.#parent?.over ?? null;
  }

  /** Books a cost here and above; returns the lowest level that is overspent now, or null. */
  spend(microUsd: MicroUsd): BudgetLevel | null {
    this.#each((one) => {
      one.#spent += microUsd;
    });
    return this.over;
  }

  /**
   * Sets money aside, waiting for requests under way to end where it would not be enough for all. Null when nothing is left,
   * or when `signal` aborts first.
   */
  async reserve(estimate: MicroUsd, signal?: AbortSignal): Promise<Reservation | null> {
    for (;;) {
      if (signal?.aborted === true || this.left === 0) return null;
      if (this.#covers(estimate)) return this.#take(estimate);
      await this.#change(signal);
    }
  }

  #covers(estimate: MicroUsd): boolean {
    const here = this.#underWay === 0 || this.#spent + this.#reserved + estimate <= this.maxMicroUsd;
    return here && (this.#parent === null || this.#parent.#covers(estimate));
  }

  #take(estimate: MicroUsd): Reservation {
    this.#each((one) => {
      one.#reserved += estimate;
      one.#underWay += 1;
    });
    let held = true;
    return {
      release: () => {
        if (!held) return;
        held = false;
        this.#each((one) => {
          one.#reserved -= estimate;
          one.#underWay -= 1;
          const woken = one.#waiting;
          one.#waiting = [];
          for (const wake of woken) wake();
        });
      },
    };
  }

  /** Resolves at the next release at this level or above, or when the signal aborts. */
  async #change(signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#each((one) => one.#waiting.push(resolve));
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  #each(take: (one: SharedBudget) => void): void {
    take(this);
    if (this.#parent !== null) this.#parent.#each(take);
  }

  #lowest(value: (one: SharedBudget) => number): number {
    return this.#parent === null ? value(this) : Math.min(value(this), this.#parent.#lowest(value));
  }
}
