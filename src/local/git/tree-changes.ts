import type { CommitObject } from './commit-object.ts';
import type { ObjectSource } from './history.ts';
import { parseTree, type TreeEntry } from './tree.ts';

/** One path that differs: `A` added, `D` gone, `M` other bytes or mode, `T` another kind of thing. */
export interface TreeChange {
  readonly status: 'A' | 'D' | 'M' | 'T';
  readonly path: string;
}

/** Paths that a commit itself changes; of a merge only those that differ from every parent. Null when an object is missing. */
export async function changesOf(source: ObjectSource, commit: CommitObject): Promise<TreeChange[] | null> {
  const parents = commit.parents.length === 0 ? [null] : commit.parents;
  const lists: TreeChange[][] = [];
  for (const parent of parents) {
    const tree = parent === null ? null : ((await source.object(`${parent}^{tree}`))?.oid ?? undefined);
    if (tree === undefined) return null;
    const found: TreeChange[] = [];
    if (!(await compare(source, tree, commit.tree, '', found))) return null;
    lists.push(found);
  }
  const [first = [], ...others] = lists;
  const inAll = first.filter(({ path }) => others.every((list) => list.some((one) => one.path === path)));
  return inAll.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

const isTree = (entry: TreeEntry | undefined): entry is TreeEntry => entry?.mode === '040000';
const treeOf = (entry: TreeEntry | undefined): string | null => (isTree(entry) ? entry.oid : null);
const kindOf = (mode: string): string => mode.slice(0, 3);

/** False when a tree cannot be read. */
async function compare(
  source: ObjectSource,
  before: string | null,
  after: string | null,
  prefix: string,
  found: TreeChange[],
): Promise<boolean> {
  if (before === after) return true;
  const [old, now] = [await entriesOf(source, before), await entriesOf(source, after)];
  if (old === null || now === null) return false;
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(name), now.get(name)];
    if (was && is && was.oid === is.oid && was.mode === is.mode) continue;
    const path = `${prefix}${name}`;
    const [wasTree, nowTree] = [isTree(was), isTree(is)];
    if ((wasTree || nowTree) && !(await compare(source, treeOf(was), treeOf(is), `${path}/`, found)))
      return false;
    if (was && !wasTree && is && !nowTree)
      found.push({ status: kindOf(was.mode) === kindOf(is.mode) ? 'M' : 'T', path });
    else if (was && !wasTree) found.push({ status: 'D', path });
    else if (is && !nowTree) found.push({ status: 'A', path });
  }
  return true;
}

async function entriesOf(source: ObjectSource, oid: string | null): Promise<Map<string, TreeEntry> | null> {
  if (oid === null) return new Map();
  const object = await source.object(oid);
  return object?.type === 'tree'
    ? new Map(parseTree(object.content).map((entry) => [entry.name, entry]))
    : null;
}
