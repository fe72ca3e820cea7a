/** What one request costs by GitHub's secondary limits: a read 1 point, a write 5. */
export interface Cost {
  readonly resource: 'core' | 'graphql';
  readonly points: 1 | 5;
  /** Creation of content that people are notified of. */
  readonly content: boolean;
}

interface Window {
  index: number;
  readonly used: { core: number; graphql: number };
  readonly points: { core: number; graphql: number };
  content: number;
}

const empty = (index: number): Window => ({
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

/** What each principal has used in the hour and in the minute of the clock, and how many of its requests are under way. */
export class Spending {
  readonly #hours = new Map<string, Window>();
  readonly #minutes = new Map<string, Window>();
  readonly #underWay = new Map<string, number>();

  hour(principal: string, at: number): Readonly<Window> {
    return windowOf(this.#hours, principal, Math.floor(at / HOUR));
  }

  minute(principal: string, at: number): Readonly<Window> {
    return windowOf(this.#minutes, principal, Math.floor(at / MINUTE));
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

function windowOf(windows: Map<string, Window>, principal: string, index: number): Window {
  const known = windows.get(principal);
  if (known?.index === index) return known;
  const fresh = empty(index);
  windows.set(principal, fresh);
  return fresh;
}
