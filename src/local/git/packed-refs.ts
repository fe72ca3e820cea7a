import type { Ref } from './ref-files.ts';

/** The text of a `packed-refs` file, read once: its lookups cost the same for ten refs and for fifty thousand. */
export class PackedRefs {
  readonly #refs: readonly Ref[];
  readonly #oids: ReadonlyMap<string, string>;
  #counts: ReadonlyMap<string, number> | null = null;

  constructor(text: string) {
    const refs: Ref[] = [];
    for (const match of text.matchAll(/^([0-9a-f]{40}) (\S+)$/gm))
      refs.push({ name: match[2]!, oid: match[1]! });
    this.#refs = refs.sort((a, b) => (a.name < b.name ? -1 : 1));
    this.#oids = new Map(refs.map(({ name, oid }) => [name, oid]));
  }

  get(name: string): string | null {
    return this.#oids.get(name) ?? null;
  }

  /** What is named, and by how many refs. */
  get counts(): ReadonlyMap<string, number> {
    this.#counts ??= countsOf(this.#oids.values());
    return this.#counts;
  }

  /** Sorted by name. */
  startingWith(prefix: string): readonly Ref[] {
    const from = this.#first((name) => name >= prefix);
    const to = this.#first((name) => name >= prefix && !name.startsWith(prefix));
    return this.#refs.slice(from, to);
  }

  /** Index of the first ref that fulfils a condition which, once true, stays true. */
  #first(condition: (name: string) => boolean): number {
    let low = 0;
    let high = this.#refs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (condition(this.#refs[middle]!.name)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function countsOf(oids: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const oid of oids) counts.set(oid, (counts.get(oid) ?? 0) + 1);
  return counts;
}
