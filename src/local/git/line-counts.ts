import type { ObjectSource } from './history.ts';
import { parseTree, type TreeEntry } from './tree.ts';

export interface LineCounts {
  readonly additions: number;
  readonly deletions: number;
}

/** Larger changes git reads faster itself. */
const MAX_FILES = 100;
const MAX_BYTES = 256 * 1024;
/** How far git looks for a zero byte to call a file binary (xdiff-interface.c). */
const BINARY_WITHIN = 8_000;

/**
 * Lines added and deleted in each file between two commits, in no order, as `git diff -M --numstat` counts them; null where
 * the answer is a matter of how git searches: lines that moved within a file, files that may have been renamed, attributes.
 */
export async function countLines(
  source: ObjectSource,
  from: string,
  to: string,
): Promise<LineCounts[] | null> {
  const trees = [await source.object(`${from}^{tree}`), await source.object(`${to}^{tree}`)];
  const changed: FilePair[] = [];
  if (!(await collect(source, trees[0]?.oid, trees[1]?.oid, changed))) return null;
  const hasRename = changed.some(([was]) => was === undefined) && changed.some(([, is]) => is === undefined);
  if (hasRename || changed.length > MAX_FILES) return null;
  const counts: LineCounts[] = [];
  for (const pair of changed) {
    const count = await countPair(source, pair);
    if (count === null) return null;
    counts.push(count);
  }
  return counts;
}

type FilePair = readonly [was: TreeEntry | undefined, is: TreeEntry | undefined];

const isTree = (entry: TreeEntry | undefined): boolean => entry?.mode === '040000';
const isFile = (entry: TreeEntry | undefined): boolean => entry === undefined || entry.mode.startsWith('100');

/** Goes down both trees for files that differ. False for what is no plain file, or has attributes beside it. */
async function collect(
  source: ObjectSource,
  was: string | undefined,
  is: string | undefined,
  found: FilePair[],
): Promise<boolean> {
  const [before, after] = [await entriesOf(source, was), await entriesOf(source, is)];
  if (!before || !after || before.has('.gitattributes') || after.has('.gitattributes')) return false;
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const pair: FilePair = [before.get(name), after.get(name)];
    const [old, now] = pair;
    if (old?.oid === now?.oid && old?.mode === now?.mode) continue;
    if (isTree(old ?? now) && isTree(now ?? old)) {
      if (!(await collect(source, old?.oid, now?.oid, found))) return false;
    } else if (!isFile(old) || !isFile(now) || found.push(pair) > MAX_FILES) return false;
  }
  return true;
}

async function entriesOf(
  source: ObjectSource,
  oid: string | undefined,
): Promise<Map<string, TreeEntry> | null> {
  if (oid === undefined) return new Map();
  const object = await source.object(oid);
  if (object?.type !== 'tree') return null;
  return new Map(parseTree(object.content).map((entry) => [entry.name, entry]));
}

async function countPair(source: ObjectSource, [was, is]: FilePair): Promise<LineCounts | null> {
  if (was?.oid === is?.oid) return { additions: 0, deletions: 0 };
  const before = await bytesOf(source, was);
  const after = await bytesOf(source, is);
  if (before === null || after === null) return null;
  if (isBinary(before) || isBinary(after)) return { additions: 0, deletions: 0 };
  return compareLines(linesOf(before), linesOf(after));
}

async function bytesOf(source: ObjectSource, entry: TreeEntry | undefined): Promise<Buffer | null> {
  if (entry === undefined) return Buffer.alloc(0);
  const object = await source.object(entry.oid);
  return object?.type === 'blob' && object.content.length <= MAX_BYTES ? object.content : null;
}

const isBinary = (bytes: Buffer): boolean => bytes.subarray(0, BINARY_WITHIN).includes(0);

/** Each with its line feed; one byte is one character, so that what is no UTF-8 stays apart. */
const linesOf = (bytes: Buffer): string[] => bytes.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Null when what is left between equal beginnings and ends has lines in common: there are several ways to align them. */
function compareLines(before: readonly string[], after: readonly string[]): LineCounts | null {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const gone = new Set(before.slice(start, before.length - end));
  for (const line of after.slice(start, after.length - end)) if (gone.has(line)) return null;
  return { additions: after.length - start - end, deletions: before.length - start - end };
}
