import type { Item } from './item.ts';
import type { BatchStrategy } from './pipeline.ts';
import type { Mention, Scan } from './scan.ts';

/** What one run of the agent is given. */
export interface Batch {
  /** From 0, over the whole phase. */
  readonly index: number;
  readonly worker: number;
  readonly items: readonly Item[];
}

export interface PhasePlan {
  /** Finished by earlier runs. */
  readonly done: readonly Item[];
  /** Ran out of turns in an earlier run, and would again. */
  readonly skipped: readonly Item[];
  /** Finished by earlier runs, but for another item, prompt, model or schema: they are done again. */
  readonly changed: readonly Item[];
  readonly todo: readonly Item[];
  /** One for each worker that has something to do. */
  readonly queues: readonly (readonly Batch[])[];
}

export interface PlanOptions {
  readonly workers: number;
  readonly batch: BatchStrategy;
  readonly maxTurns: number;
  /** Nothing that earlier runs left counts. */
  readonly force: boolean;
}

/** What is left to do, in batches, in one queue for each worker: batch i goes to worker i mod N. */
export function planPhase(items: readonly Item[], scan: Scan, options: PlanOptions): PhasePlan {
  const done: Item[] = [];
  const skipped: Item[] = [];
  const changed: Item[] = [];
  const todo: Item[] = [];
  for (const item of items) {
    const mentions = options.force ? [] : (scan.mentions.get(item.id) ?? []);
    const state = item.named ? stateOf(item, mentions, options.maxTurns) : 'new';
    if (state === 'done') done.push(item);
    else if (state === 'out-of-turns') skipped.push(item);
    else todo.push(item);
    if (state === 'changed') changed.push(item);
  }
  return { done, skipped, changed, todo, queues: queuesOf(batchesOf(todo, options), options.workers) };
}

type ItemState = 'new' | 'done' | 'out-of-turns' | 'changed';

function stateOf(item: Item, mentions: readonly Mention[], maxTurns: number): ItemState {
  if (resultsOf(item, mentions) !== null) return 'done';
  const same = mentions.filter(({ key }) => key === item.key);
  const last = same.find(({ status }) => status === 'max-turns' || status === 'done');
  if (last?.status === 'max-turns' && last.maxTurns === maxTurns) return 'out-of-turns';
  return mentions.some(({ status }) => status === 'done') ? 'changed' : 'new';
}

/** The newest finished work on exactly this item; null when there is none. */
export function resultsOf(item: Item, mentions: readonly Mention[]): Mention | null {
  return mentions.find(({ status, key }) => status === 'done' && (key === null || key === item.key)) ?? null;
}

function batchesOf(items: readonly Item[], options: PlanOptions): Batch[] {
  const groups =
    'size' in options.batch ? bySize(items, options.batch.size) : byTokens(items, options.batch.tokens);
  return groups.map((group, index) => ({ index, worker: index % options.workers, items: group }));
}

function bySize(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** An item that is over the limit by itself has a batch of its own. */
function byTokens(items: readonly Item[], limit: number): Item[][] {
  const groups: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const tokens = estimatedTokens(item.value);
    if (groups.length === 0 || tokens > room) {
      groups.push([]);
      room = limit;
    }
    groups.at(-1)?.push(item);
    room -= tokens;
  }
  return groups;
}

/** A rough upper figure: three bytes of JSON are a token. */
export function estimatedTokens(value: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(value ?? null)) / 3);
}

function queuesOf(batches: readonly Batch[], workers: number): Batch[][] {
  return Array.from({ length: Math.min(workers, batches.length) }, (_, worker) =>
    batches.filter((batch) => batch.worker === worker),
  );
}
