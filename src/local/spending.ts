/** What one request costs by GitHub's secondary limits: a read 1 point, a write 5. */
export interface Cost {
  readonly resource: 'core' | 'graphql';
  readonly points: 1 | 5;
  /** Creation of content that people are notified of. */
  readonly content: boolean;
}

export interface SpentWindow {
  /** Which hour, or which minute, of the clock. */
  readonly index: number;
  readonly used: { core: number; graphql: number };
  readonly points: { core: number; graphql: number };
  content: number;
}

const empty = (index: number): SpentWindow => ({
  index,
  used: { core: 0, graphql: 0 },
  points: { core: 0, graphql: 0 },
  content: 0,
});

/** Which of GitHub's budgets an operation draws on. */
export const resourceOf = (operation: string): Cost['resource'] =>
  operation === 'graphql' ? 'graphql' : 'core';

export const HOUR = 3_600_000;
export const MINUTE = 60_000;

/** Of each principal, oldest first. A clock that was turned back comes to an hour that was begun already. */
type Windows = Map<string, SpentWindow[]>;

const KEPT_WINDOWS = 4;

/** What outlives a server: what was used in the hours and minutes of late. */
export interface Spent {
  readonly hours: Map<string, SpentWindow[]>;
  readonly minutes: Map<string, SpentWindow[]>;
}

/** What each principal has used in the hour and in the minute of the clock, and how many of its requests are under way. */
export class Spending {
  readonly #hours: Windows = new Map();
  readonly #minutes: Windows = new Map();
  readonly #underWay = new Map<string, number>();

  hour(principal: string, at: number): Readonly<SpentWindow> {
    return windowOf(this.#hours, principal, Math.floor(at / HOUR));
  }

  minute(principal: string, at: number): Readonly<SpentWindow> {
    return windowOf(this.#minutes, principal, Math.floor(at / MINUTE));
  }

  /** All of it, as it stands. */
  get spent(): Spent {
    return { hours: this.#hours, minutes: this.#minutes };
  }

  /** Takes over what an earlier server was told. */
  adopt(spent: Spent): void {
    for (const [name, windows] of spent.hours) this.#hours.set(name, [...windows]);
    for (const [name, windows] of spent.minutes) this.#minutes.set(name, [...windows]);
  }

  underWay(principal: string): number {
    return this.#underWay.get(principal) ?? 0;
  }

  /** `by` is 1 when a request starts and -1 when it ends. */
  countUnderWay(principal: string, by: 1 | -1): void {
    const now = this.underWay(principal) + by;
    if (now === 0) this.#underWay.delete(principal);
    else this.#underWay.set(principal, now);
  }

  spend(principal: string, at: number, cost: Cost): void {
    const hour = windowOf(this.#hours, principal, Math.floor(at / HOUR));
    const minute = windowOf(this.#minutes, principal, Math.floor(at / MINUTE));
    for (const window of [hour, minute]) {
      window.used[cost.resource] += 1;
      window.points[cost.resource] += cost.points;
      if (cost.content) window.content += 1;
    }
  }
}

function windowOf(all: Windows, principal: string, index: number): SpentWindow {
  const windows = all.get(principal) ?? [];
  const known = windows.find((one) => one.index === index);
  if (known) return known;
  const fresh = empty(index);
  all.set(principal, [...windows.slice(1 - KEPT_WINDOWS), fresh]);
  return fresh;
}
