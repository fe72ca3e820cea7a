import type { ZodType } from 'zod';
import type { Oid } from '../domain/ids.ts';
import type { Clone } from './bare-clone.ts';
import type { ObjectReader } from './objects.ts';
import { checkStatePath, stateJson } from './state-json.ts';
import type { TreeNode } from './tree-bytes.ts';
import { commitTree, writeBlob, writeTreeLevel } from './write-objects.ts';

/** One file of the state branch that cannot be taken for what it should be. */
export interface StateProblem {
  readonly path: string;
  readonly problem: string;
}

/** `missing`: there is no such commit. `unreadable`: an alarm, never a fresh start. */
export type StateFile<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'absent' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly problems: readonly StateProblem[] };

export type StateFolder<T> =
  | { readonly kind: 'read'; readonly values: ReadonlyMap<string, T> }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly problems: readonly StateProblem[] };

const maxFileBytes = 8 * 1024 * 1024;

/** One file of the state commit, checked by its schema. `commit` null means that the branch is not there. */
export async function readStateFile<T>(
  objects: ObjectReader,
  commit: Oid | null,
  path: string,
  schema: ZodType<T>,
): Promise<StateFile<T>> {
  checkStatePath(path);
  if (commit === null || !(await objects.exists(commit))) return { kind: 'missing' };
  const node = await findNode(objects, commit, path);
  if (node === null) return { kind: 'absent' };
  const read = await readNode(objects, path, node, schema);
  return 'problem' in read ? { kind: 'unreadable', problems: [read] } : { kind: 'read', value: read.value };
}

/**
 * Every file below `folder` (the empty text: the whole branch), by its full path, all under one schema. One file that
 * cannot be read makes the whole answer unreadable, with every such file named.
 */
export async function readStateFolder<T>(
  objects: ObjectReader,
  commit: Oid | null,
  folder: string,
  schema: ZodType<T>,
): Promise<StateFolder<T>> {
  if (folder !== '') checkStatePath(folder);
  if (commit === null || !(await objects.exists(commit))) return { kind: 'missing' };
  const root = folder === '' ? { kind: 'tree', oid: commit } : await findNode(objects, commit, folder);
  if (root === null) return { kind: 'read', values: new Map() };
  if (root.kind !== 'tree')
    return { kind: 'unreadable', problems: [{ path: folder, problem: 'is no folder' }] };
  const prefix = folder === '' ? '' : `${folder}/`;
  const values = new Map<string, T>();
  const problems: StateProblem[] = [];
  for (const entry of await objects.readTree(root.oid)) {
    const path = `${prefix}${entry.path}`;
    const read = await readNode(objects, path, entry, schema);
    if ('problem' in read) problems.push(read);
    else values.set(path, read.value);
  }
  return problems.length > 0 ? { kind: 'unreadable', problems } : { kind: 'read', values };
}

export interface StateWrite {
  /** The state commit that these files change; null makes the branch's first commit. */
  readonly parent: Oid | null;
  /** New contents by path; null removes the file. Files that are not named stay as they are. */
  readonly files: ReadonlyMap<string, unknown>;
  readonly message: string;
  /** Seconds since the epoch. */
  readonly date: number;
}

/** Who the state commits say they are by; the commit's author proves nothing, the ruleset on the branch does. */
const recorder = { name: 'ccd', email: 'ccd@users.noreply.github.com' } as const;

/**
 * Writes the objects of the next state commit into the clone and returns its id. The ref is not moved: that is the
 * caller's atomic push, together with whatever belongs to the same step.
 */
export async function writeState(clone: Clone, write: StateWrite): Promise<Oid> {
  const changes = new Map<string, Oid | null>();
  for (const [path, value] of write.files) {
    checkStatePath(path);
    changes.set(path, value === null ? null : await writeBlob(clone.dir, stateJson(value)));
  }
  const tree = await changeTree(clone, write.parent, changes);
  return await commitTree(clone.dir, {
    tree: tree ?? (await writeTreeLevel(clone.dir, [])),
    parents: write.parent === null ? [] : [write.parent],
    message: write.message,
    date: write.date,
    person: recorder,
  });
}

/** The tree with the changes in it, or null when nothing is left of it. Only folders that change are read and written. */
async function changeTree(
  clone: Clone,
  tree: Oid | null,
  changes: ReadonlyMap<string, Oid | null>,
): Promise<Oid | null> {
  const nodes = new Map<string, Pick<TreeNode, 'mode' | 'oid' | 'name'>>();
  for (const node of tree === null ? [] : await clone.objects.readTreeLevel(tree)) nodes.set(node.name, node);
  for (const [name, inside] of byFirstPart(changes)) {
    const here = inside.get('');
    if (here !== undefined) {
      if (here === null) nodes.delete(name);
      else nodes.set(name, { mode: '100644', oid: here, name });
      continue;
    }
    const old = nodes.get(name);
    const folder = await changeTree(clone, old?.mode === '40000' ? old.oid : null, inside);
    if (folder === null) nodes.delete(name);
    else nodes.set(name, { mode: '40000', oid: folder, name });
  }
  return nodes.size === 0 ? null : await writeTreeLevel(clone.dir, [...nodes.values()]);
}

/** Changes grouped by the first part of their path; the rest of a path that ends there is the empty text. */
function byFirstPart(changes: ReadonlyMap<string, Oid | null>): Map<string, Map<string, Oid | null>> {
  const groups = new Map<string, Map<string, Oid | null>>();
  for (const [path, oid] of changes) {
    const slash = path.indexOf('/');
    const name = slash < 0 ? path : path.slice(0, slash);
    const group = groups.get(name) ?? new Map<string, Oid | null>();
    group.set(slash < 0 ? '' : path.slice(slash + 1), oid);
    groups.set(name, group);
  }
  return groups;
}

async function findNode(
  objects: ObjectReader,
  commit: Oid,
  path: string,
): Promise<Pick<TreeNode, 'kind' | 'oid'> | null> {
  let at: Pick<TreeNode, 'kind' | 'oid'> = { kind: 'tree', oid: commit };
  for (const part of path.split('/')) {
    if (at.kind !== 'tree') return null;
    const next = (await objects.readTreeLevel(at.oid)).find(({ name }) => name === part);
    if (next === undefined) return null;
    at = next;
  }
  return at;
}

async function readNode<T>(
  objects: ObjectReader,
  path: string,
  node: Pick<TreeNode, 'kind' | 'oid'>,
  schema: ZodType<T>,
): Promise<{ value: T } | StateProblem> {
  if (node.kind !== 'blob') return { path, problem: 'is no plain file' };
  const info = await objects.info(node.oid);
  if (info === null || info.size > maxFileBytes) return { path, problem: 'is missing or too large' };
  const parsed = parseJson((await objects.readBlob(node.oid)).toString('utf8'));
  if (!parsed.ok) return { path, problem: 'is no JSON' };
  const checked = schema.safeParse(parsed.value);
  if (checked.success) return { value: checked.data };
  const [issue] = checked.error.issues;
  return {
    path,
    problem: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'does not fit its schema'}`.slice(0, 500),
  };
}

function parseJson(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}
