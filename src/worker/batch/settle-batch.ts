import { type Item, idOf } from './item.ts';
import type { ItemRecord, ItemStatus } from './partial.ts';

export interface SettledBatch {
  readonly items: readonly ItemRecord[];
  /** Indexes of results that name no item of the batch. */
  readonly unowned: readonly number[];
}

/**
 * Which item each result is of. A batch of one owns them all; otherwise the field `resultItem` of a result names its item. Items
 * without a result get `rest`: the run says what that means.
 */
export function settleBatch(
  items: readonly Item[],
  results: readonly unknown[],
  resultItem: string | undefined,
  rest: Exclude<ItemStatus, 'done'>,
): SettledBatch {
  const owned = new Map<string, number[]>(items.map(({ id }) => [id, []]));
  const unowned: number[] = [];
  const [only] = items;
  for (const [index, result] of results.entries()) {
    const id = items.length === 1 ? only!.id : resultItem === undefined ? null : idOf(result, resultItem);
    const list = id === null ? undefined : owned.get(id);
    if (list === undefined) unowned.push(index);
    else list.push(index);
  }
  const records = items.map(({ id, named, key }): ItemRecord => {
    const own = owned.get(id) ?? [];
    return { id, named, key, status: own.length > 0 ? 'done' : rest, results: own };
  });
  return { items: records, unowned };
}
