import { type Item, idOf } from './item.ts';
import { resultsOf } from './plan.ts';
import type { Scan } from './scan.ts';

/** A result that stays where it is: the next phase does not get it. */
export interface RefusedResult {
  readonly file: string;
  readonly index: number;
  readonly reason: string;
}

export interface Admitted {
  readonly results: readonly unknown[];
  readonly refused: readonly RefusedResult[];
  /** Results whose id another, newer one has. */
  readonly repeated: number;
}

export interface AdmitOptions {
  readonly result_id?: string | undefined;
  /** What is wrong with a result; null when it fits. */
  readonly check: (result: unknown) => string | null;
  /** Results that were found wrong when they were stored, by file and index. */
  readonly known: ReadonlyMap<string, ReadonlyMap<number, string>>;
}

/**
 * What goes on from a phase: of each item the results of the newest finished work on it as it is now, of results with one id the
 * newest, and of these only what fits the schema. Everything else is named and stays in its file.
 */
export function admitResults(items: readonly Item[], scan: Scan, options: AdmitOptions): Admitted {
  const refused: RefusedResult[] = [];
  const fitting: Candidate[] = [];
  for (const [place, item] of items.entries()) {
    const mention = resultsOf(item, scan.mentions.get(item.id) ?? []);
    for (const { index, value } of mention?.results ?? []) {
      const { file, epoch } = mention!;
      const reason = options.known.get(file)?.get(index) ?? options.check(value);
      if (reason === null) fitting.push({ value, epoch, place });
      else refused.push({ file, index, reason });
    }
  }
  const kept = options.result_id === undefined ? fitting : newestOfEach(fitting, options.result_id);
  return { results: kept.map(({ value }) => value), refused, repeated: fitting.length - kept.length };
}

interface Candidate {
  readonly value: unknown;
  readonly epoch: number;
  readonly place: number;
}

/** Results without an id are all kept. */
function newestOfEach(candidates: readonly Candidate[], field: string): Candidate[] {
  const newest = new Map<string, Candidate>();
  for (const one of candidates) {
    const id = idOf(one.value, field);
    const before = id === null ? undefined : newest.get(id);
    if (id !== null && (before === undefined || one.epoch > before.epoch)) newest.set(id, one);
  }
  return candidates.filter((one) => {
    const id = idOf(one.value, field);
    return id === null || newest.get(id) === one;
  });
}
