import type { Digest } from '../../domain/digest.ts';
import { idOf } from './item.ts';
import type { ItemRecord, Partial, PartialName } from './partial.ts';

/** A partial of one phase that could be read. */
export interface StoredPartial {
  readonly file: string;
  readonly name: PartialName;
  readonly partial: Partial;
}

/** What one partial says of one item. The key is null where it does not tell what the item looked like. */
export interface Mention {
  readonly file: string;
  readonly epoch: number;
  readonly status: ItemRecord['status'];
  readonly key: Digest | null;
  readonly maxTurns: number;
  readonly results: readonly { readonly index: number; readonly value: unknown }[];
}

/** All that earlier runs left, by item: newest first. */
export interface Scan {
  readonly mentions: ReadonlyMap<string, readonly Mention[]>;
  /** What all of it has cost, as far as it is known, in micro-dollars. */
  readonly microUsd: number;
}

interface IdFields {
  readonly item_id: string;
  readonly result_id?: string | undefined;
  readonly result_item?: string | undefined;
}

/** The state of a phase is what lies in its folder: nothing else is remembered between two runs. */
export function scanPartials(stored: readonly StoredPartial[], fields: IdFields): Scan {
  const mentions = new Map<string, Mention[]>();
  let microUsd = 0;
  for (const one of [...stored].sort(newestFirst)) {
    microUsd += one.partial.metadata.micro_usd ?? 0;
    for (const [id, mention] of mentionsIn(one, fields)) {
      const known = mentions.get(id);
      if (known === undefined) mentions.set(id, [mention]);
      else known.push(mention);
    }
  }
  return { mentions, microUsd };
}

function newestFirst(left: StoredPartial, right: StoredPartial): number {
  return right.name.epoch - left.name.epoch || (left.file < right.file ? 1 : -1);
}

function mentionsIn({ file, name, partial }: StoredPartial, fields: IdFields): [string, Mention][] {
  const { metadata, results } = partial;
  const common = { file, epoch: name.epoch, maxTurns: metadata.max_turns };
  if (metadata.items !== undefined)
    return metadata.items.map(({ id, key, status, results: at }) => [
      id,
      { ...common, key, status, results: at.map((index) => ({ index, value: results[index] })) },
    ]);
  return foreignIds(partial, fields).map(([id, indexes]) => [
    id,
    {
      ...common,
      key: null,
      status: 'done' as const,
      results: indexes.map((index) => ({ index, value: results[index] })),
    },
  ]);
}

/**
 * Ids in a partial that does not list its items: those that it says were processed, else those that its results name. A list of
 * processed ids that says nothing of the results has them all with its first id.
 */
function foreignIds({ metadata, results }: Partial, fields: IdFields): [string, number[]][] {
  const named = new Map<string, number[]>(metadata.processed_ids.map((id) => [id, []]));
  const [first] = metadata.processed_ids;
  for (const [index, value] of results.entries()) {
    const id = idOf(value, fields.result_item ?? fields.result_id ?? fields.item_id);
    const owner = id !== null && (first === undefined || named.has(id)) ? id : (first ?? null);
    if (owner === null) continue;
    named.set(owner, [...(named.get(owner) ?? []), index]);
  }
  return [...named];
}
