import type { FactSide, FactsPlan } from '../domain/facts.ts';
import type { TreeEntry } from '../git/objects.ts';

/** Both trees of a plan, without folders. */
export interface PlanTrees {
  readonly base: readonly TreeEntry[];
  readonly head: readonly TreeEntry[];
}

/**
 * The files of a side. `overlay`: head without its test paths, with base's in their place; `target-on-base`: the other way
 * round. A test path that the other side does not have is absent.
 */
export function sideEntries(plan: FactsPlan, trees: PlanTrees, side: FactSide): TreeEntry[] {
  const tests = new Set(plan.testPaths);
  const without = (entries: readonly TreeEntry[]) => entries.filter(({ path }) => !tests.has(path));
  const only = (entries: readonly TreeEntry[]) => entries.filter(({ path }) => tests.has(path));
  switch (side) {
    case 'base':
      return [...trees.base];
    case 'head':
      return [...trees.head];
    case 'overlay':
      return [...without(trees.head), ...only(trees.base)];
    case 'target-on-base':
      return [...without(trees.base), ...only(trees.head)];
  }
}
