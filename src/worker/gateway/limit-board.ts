import { z } from 'zod';
import type { LimitWord } from './gateway-event.ts';
import type { HeardLimit } from './heard-limit.ts';
import { liveness, type Owner, ownerName, parseOwner } from './owner.ts';
import type { SharedFolder } from './shared-folder.ts';

const noteSchema = z.strictObject({
  version: z.literal(1),
  why: z.enum(['rate-limit', 'overloaded', 'usage-limit']),
  /** When the limit was heard of, and for how long it was told; milliseconds by the clock of who wrote it. */
  at: z.number().int(),
  forMs: z
    .number()
    .int()
    .min(0)
    .max(40 * 86_400_000),
  /** Requests that went well since then. */
  passed: z.number().int().min(0),
});
type Note = z.infer<typeof noteSchema>;

/** How things stand for one credential and model. */
export type LimitState =
  | { readonly kind: 'free' }
  | {
      readonly kind: 'limited';
      readonly why: LimitWord;
      /** Nothing may be sent for so long; 0 when the time is over and it has to be found out whether the limit is. */
      readonly leftMs: number;
      /** How many may be under way at once after that. */
      readonly room: number;
    };

/** So many requests have to go well after a limit until it is forgotten. */
const passesToForget = 8;
/** A limit that nobody has tried since is forgotten after so long. */
const staleMs = 10 * 60_000;

/**
 * What was last heard of limits, by credential and model, from all processes that share the folder; each writes a file of its
 * own, so that nothing is ever changed by two. After a limit's end requests come back one by one: each that goes well makes
 * room for one more.
 *
 * Another process's clock may be off or may be put right while it writes: a limit counts for no longer than it was told to last,
 * from when it was first seen here.
 */
export class LimitBoard {
  readonly #folder: SharedFolder | null;
  readonly #owner: Owner;
  readonly #now: () => number;
  readonly #own = new Map<string, Note>();
  readonly #firstSeen = new Map<string, number>();

  constructor(folder: SharedFolder | null, owner: Owner, now: () => number) {
    this.#folder = folder;
    this.#owner = owner;
    this.#now = now;
  }

  async state(key: string): Promise<LimitState> {
    const notes = await this.#notes(key);
    const latest = Math.max(...notes.map(({ at }) => at));
    const last = notes.find(({ at }) => at === latest);
    if (last === undefined) return { kind: 'free' };
    const passed = notes.filter(({ at }) => at === latest).reduce((sum, note) => sum + note.passed, 0);
    const left = notes.map((note) => this.#left(key, note));
    const leftMs = Math.max(0, ...left);
    if (leftMs === 0 && (passed >= passesToForget || Math.max(...left) < -staleMs)) return { kind: 'free' };
    return { kind: 'limited', why: last.why, leftMs, room: leftMs > 0 ? 0 : 1 + passed };
  }

  async limited(key: string, { why, forMs }: HeardLimit): Promise<void> {
    await this.#keep(key, { version: 1, why, at: this.#now(), forMs: Math.round(forMs), passed: 0 });
  }

  /** A request went well although a limit had been heard of. */
  async passed(key: string): Promise<void> {
    const notes = await this.#notes(key);
    const latest = Math.max(...notes.map(({ at }) => at));
    const last = notes.find(({ at }) => at === latest);
    if (last === undefined) return;
    const own = this.#own.get(key);
    const passed = own?.at === latest ? own.passed + 1 : 1;
    await this.#keep(key, { ...last, passed });
  }

  async #keep(key: string, note: Note): Promise<void> {
    this.#own.set(key, note);
    await this.#folder?.write(this.#fileOf(key), note);
  }

  async #notes(key: string): Promise<Note[]> {
    const own = this.#own.get(key);
    return [...(own === undefined ? [] : [own]), ...(await this.#othersNotes(key))];
  }

  async #othersNotes(key: string): Promise<Note[]> {
    if (this.#folder === null) return [];
    const mine = this.#fileOf(key);
    const notes: Note[] = [];
    for (const name of await this.#folder.list()) {
      if (!name.startsWith(`limit.${key}.`) || name === mine) continue;
      const parsed = noteSchema.safeParse(await this.#folder.read(name));
      if (!parsed.success) continue;
      const owner = parseOwner(name.split('.')[2] ?? '');
      const gone = owner === null || liveness(owner) !== 'alive';
      if (gone && this.#left(key, parsed.data) < -staleMs) await this.#folder.remove(name);
      else notes.push(parsed.data);
    }
    return notes;
  }

  /** Below 0: over for so long. */
  #left(key: string, { at, forMs }: Note): number {
    const now = this.#now();
    const seen = `${key} ${at} ${forMs}`;
    if (!this.#firstSeen.has(seen)) {
      if (this.#firstSeen.size > 10_000) this.#firstSeen.clear();
      this.#firstSeen.set(seen, now);
    }
    return Math.min(at, this.#firstSeen.get(seen) ?? now) + forMs - now;
  }

  #fileOf(key: string): string {
    return `limit.${key}.${ownerName(this.#owner)}`;
  }
}
