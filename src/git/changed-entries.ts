import type { Oid } from '../domain/ids.ts';
import type { ImportLimits } from './import-limits.ts';
import type { PathChange } from './net-change.ts';
import type { ObjectReader } from './objects.ts';
import { type Refusal, refused } from './refusal.ts';
import type { TreeNode } from './tree-bytes.ts';
import { foldedName, hostileName } from './tree-names.ts';

/** Something in a tree that is no plain file and that policy has to decide on. */
export interface Hazard {
  readonly path: string;
  readonly what: 'symlink' | 'gitlink';
}

export interface ChangedEntries {
  readonly kind: 'entries';
  readonly changes: readonly PathChange[];
  readonly hazards: readonly Hazard[];
  /** Every tree and blob that head has and base's walked folders do not: what must be copied. */
  readonly objects: readonly Oid[];
}

interface Walk {
  readonly objects: ObjectReader;
  readonly limits: ImportLimits;
  readonly changes: PathChange[];
  readonly hazards: Hazard[];
  readonly wanted: Set<Oid>;
  bytes: number;
  visits: number;
}

type Level = ReadonlyMap<string, TreeNode>;

/**
 * Walks only the folders in which the two trees differ, and checks every name in them. Bounded before anything is read:
 * a tree can name itself a million times in a few bytes.
 */
export async function readChangedEntries(
  objects: ObjectReader,
  baseTree: Oid,
  headTree: Oid,
  limits: ImportLimits,
): Promise<ChangedEntries | Refusal> {
  const walk: Walk = { objects, limits, changes: [], hazards: [], wanted: new Set(), bytes: 0, visits: 0 };
  const problem = baseTree === headTree ? null : await compareFolders(walk, baseTree, headTree, '', 0);
  if (problem !== null) return problem;
  return { kind: 'entries', changes: walk.changes, hazards: walk.hazards, objects: [...walk.wanted] };
}

async function compareFolders(
  walk: Walk,
  base: Oid | null,
  head: Oid | null,
  prefix: string,
  depth: number,
): Promise<Refusal | null> {
  walk.visits += 1;
  if (depth > walk.limits.depth || walk.visits > walk.limits.changes)
    return refused('tree-shape', `too deep or too wide at ${prefix}`);
  const before = await readLevel(walk, base, prefix);
  if ('kind' in before) return before;
  const after = await readLevel(walk, head, prefix);
  if ('kind' in after) return after;
  const problem = head === null ? null : checkNames(before, after, prefix);
  if (problem !== null) return problem;
  if (head !== null) walk.wanted.add(head);
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const left = before.get(name);
    const right = after.get(name);
    if (left?.mode === right?.mode && left?.oid === right?.oid) continue;
    const inside = await compareNodes(walk, left, right, `${prefix}${name}`, depth);
    if (inside !== null) return inside;
  }
  return null;
}

async function compareNodes(
  walk: Walk,
  left: TreeNode | undefined,
  right: TreeNode | undefined,
  path: string,
  depth: number,
): Promise<Refusal | null> {
  const folder = (node: TreeNode | undefined) => (node?.kind === 'tree' ? node.oid : null);
  if (folder(left) !== null || folder(right) !== null) {
    const problem = await compareFolders(walk, folder(left), folder(right), `${path}/`, depth + 1);
    if (problem !== null) return problem;
  }
  const before = left === undefined || left.kind === 'tree' ? null : { mode: left.mode, oid: left.oid };
  const after = right === undefined || right.kind === 'tree' ? null : { mode: right.mode, oid: right.oid };
  if (before === null && after === null) return null;
  walk.changes.push({ path, utf8: left?.utf8 !== false && right?.utf8 !== false, before, after });
  if (walk.changes.length > walk.limits.changes) return refused('tree-shape', 'too many changed paths');
  return right === undefined || right.kind === 'tree' ? null : await takeEntry(walk, right, path);
}

async function takeEntry(walk: Walk, node: TreeNode, path: string): Promise<Refusal | null> {
  if (node.kind === 'unknown') return refused('tree-mode', `mode ${node.mode} at ${path}`);
  if (node.kind !== 'blob')
    walk.hazards.push({ path, what: node.kind === 'symlink' ? 'symlink' : 'gitlink' });
  // The commit of a gitlink lives in another repository.
  if (node.kind === 'gitlink') return null;
  const info = await walk.objects.info(node.oid);
  if (info === null) return refused('missing-object', `the content of ${path}`);
  if (info.kind !== 'blob') return refused('objects', `${path} is a ${info.kind}`);
  if (!walk.wanted.has(node.oid)) walk.bytes += info.size;
  walk.wanted.add(node.oid);
  if (info.size > walk.limits.fileBytes || walk.bytes > walk.limits.totalBytes)
    return refused('too-large', path);
  return null;
}

async function readLevel(walk: Walk, oid: Oid | null, prefix: string): Promise<Level | Refusal> {
  if (oid === null) return new Map();
  const info = await walk.objects.info(oid);
  if (info === null) return refused('missing-object', `the folder ${prefix}`);
  if (info.kind !== 'tree') return refused('objects', `the folder ${prefix} is a ${info.kind}`);
  if (info.size > walk.limits.folderEntries * 64)
    return refused('tree-shape', `too many entries in ${prefix}`);
  const nodes = await walk.objects.readTreeLevel(oid);
  const level = new Map(nodes.map((node) => [node.name, node]));
  if (level.size !== nodes.length) return refused('tree-twins', `one name twice in ${prefix}`);
  return level;
}

/** Only names that the change brings are held against it; what base has already is base's own. */
function checkNames(before: Level, after: Level, prefix: string): Refusal | null {
  const folded = new Map<string, string>();
  for (const [name, node] of after) {
    const twin = folded.get(foldedName(name));
    if (twin !== undefined && !(before.has(name) && before.has(twin))) {
      return refused('tree-twins', `${prefix}${twin} and ${prefix}${name}`);
    }
    folded.set(foldedName(name), name);
    const problem = before.has(name) ? null : hostileName(name, node.utf8);
    if (problem !== null) return refused('tree-name', `${problem}: ${prefix}${name}`);
  }
  return null;
}
