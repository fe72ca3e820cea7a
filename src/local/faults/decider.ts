import { roll } from './dice.ts';
import type { FaultRecord, FaultRule } from './fault-plan.ts';

/** What a rule may hit: a call, a delivery, a job. */
export interface Subject {
  readonly on: string;
  readonly by: string;
}

/** A rule that strikes now. `dice` rolls numbers in [0, 1) that are its own. */
export interface Strike {
  readonly rule: FaultRule;
  readonly nth: number;
  readonly dice: (what: string) => number;
}

/**
 * Decides which rules strike. Chance is rolled from the seed, the rule, the subject and how often the rule has met
 * this subject, not from the order of everything: calls of others that come in between change nothing.
 * With `recorded`, strikes exactly where a record says, and nowhere else.
 */
export class Decider {
  readonly #seed: string;
  readonly #recorded: ReadonlySet<string> | null;
  readonly #met = new Map<string, number>();
  readonly #struck = new Map<string, number>();

  constructor(seed: string, recorded: readonly FaultRecord[] | null = null) {
    this.#seed = seed;
    this.#recorded = recorded === null ? null : new Set(recorded.map(keyOf));
  }

  /** Counts the subject for each rule that covers it, and answers the rules that strike. */
  meet(rules: readonly FaultRule[], subject: Subject): Strike[] {
    return rules.filter((rule) => covers(rule, subject)).flatMap((rule) => this.#meet(rule, subject) ?? []);
  }

  #meet(rule: FaultRule, subject: Subject): Strike | null {
    const whole = count(this.#met, rule.id);
    const nth = count(this.#met, JSON.stringify([rule.id, subject.on, subject.by]));
    const dice = (what: string): number =>
      roll(this.#seed, JSON.stringify([rule.id, subject.on, subject.by, nth, what]));
    if (!this.#strikes(rule, subject, { whole, nth, dice })) return null;
    count(this.#struck, rule.id);
    return { rule, nth, dice };
  }

  #strikes(
    rule: FaultRule,
    subject: Subject,
    at: { whole: number; nth: number; dice: Strike['dice'] },
  ): boolean {
    if (this.#recorded) return this.#recorded.has(keyOf({ rule: rule.id, ...subject, nth: at.nth }));
    if (rule.times !== undefined && (this.#struck.get(rule.id) ?? 0) >= rule.times) return false;
    if (rule.calls) return rule.calls.includes(at.whole);
    return rule.chance === 1 || at.dice('chance') < rule.chance;
  }
}

const keyOf = (one: { rule: string; on: string; by: string; nth: number }): string =>
  JSON.stringify([one.rule, one.on, one.by, one.nth]);

function count(map: Map<string, number>, key: string): number {
  const next = (map.get(key) ?? 0) + 1;
  map.set(key, next);
  return next;
}

function covers(rule: FaultRule, subject: Subject): boolean {
  return fits(rule.on, subject.on) && fits(rule.by, subject.by);
}

/** `*` stands for any run of characters. */
function fits(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}
