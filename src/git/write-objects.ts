import { createHash, randomBytes } from 'node:crypto';
import { access, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { Oid } from '../domain/ids.ts';
import { type CommitPlan, encodeCommit } from './commit-text.ts';
import { encodeTree, type TreeNode } from './tree-bytes.ts';

const deflated = promisify(deflate);

/** Id of an object by its content. */
export function objectOid(kind: 'blob' | 'tree' | 'commit', body: Uint8Array): Oid {
  return createHash('sha1').update(`${kind} ${body.length}\0`).update(body).digest('hex');
}

/** Adds a blob to the repository in `gitDir`. */
export async function writeBlob(gitDir: string, content: Uint8Array | string): Promise<Oid> {
  return await writeObject(gitDir, 'blob', Buffer.from(content));
}

/** Adds one level of a tree; sorts the entries. Throws `git.tree-malformed` for names that no tree may hold. */
export async function writeTreeLevel(
  gitDir: string,
  nodes: readonly Pick<TreeNode, 'mode' | 'oid' | 'name'>[],
): Promise<Oid> {
  return await writeObject(gitDir, 'tree', encodeTree(nodes));
}

/** One file of a whole tree: mode in octal, path from the root. */
export interface TreeFile {
  readonly mode: string;
  readonly oid: Oid;
  readonly path: string;
}

/** Adds a whole tree of files, folders included. Throws `git.tree-malformed` when two files want one place. */
export async function writeTree(gitDir: string, files: readonly TreeFile[]): Promise<Oid> {
  const nodes: { mode: string; oid: Oid; name: string }[] = [];
  const folders = new Map<string, TreeFile[]>();
  for (const file of files) {
    const slash = file.path.indexOf('/');
    if (slash < 0) nodes.push({ mode: file.mode, oid: file.oid, name: file.path });
    else {
      const name = file.path.slice(0, slash);
      const inside = folders.get(name) ?? [];
      inside.push({ ...file, path: file.path.slice(slash + 1) });
      folders.set(name, inside);
    }
  }
  for (const [name, inside] of folders)
    nodes.push({ mode: '40000', oid: await writeTree(gitDir, inside), name });
  return await writeTreeLevel(gitDir, nodes);
}

/** Adds a commit. The same plan gives the same id, whoever writes it, wherever, whenever. */
export async function commitTree(gitDir: string, plan: CommitPlan): Promise<Oid> {
  return await writeObject(gitDir, 'commit', encodeCommit(plan));
}

/** Loose object by rename, so that a reader sees all of it or nothing; no process is spawned. */
async function writeObject(gitDir: string, kind: 'blob' | 'tree' | 'commit', body: Buffer): Promise<Oid> {
  const oid = objectOid(kind, body);
  const folder = join(gitDir, 'objects', oid.slice(0, 2));
  const path = join(folder, oid.slice(2));
  if (await isThere(path)) return oid;
  await mkdir(folder, { recursive: true });
  const draft = join(folder, `tmp_obj_${randomBytes(8).toString('hex')}`);
  const whole = Buffer.concat([Buffer.from(`${kind} ${body.length}\0`), body]);
  await writeFile(draft, await deflated(whole), { mode: 0o444 });
  await rename(draft, path);
  return oid;
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
