import { CcdError } from '../domain/errors.ts';
import { type Oid, oidSchema } from '../domain/ids.ts';
import { type ObjectInfo, type ObjectKind, openCatFile } from './cat-file.ts';
import { type Commit, parseCommit } from './commit-text.ts';
import type { ChildLimits } from './run-git.ts';
import { parseTree, type TreeNode } from './tree-bytes.ts';

/** An entry of a whole tree: `path` from the root, joined by `/`. */
export interface TreeEntry extends Omit<TreeNode, 'name'> {
  readonly path: string;
}

/** Reads objects of one repository; every answer is the object itself, nothing is cached. */
export interface ObjectReader {
  /** Kind and size in bytes, or null when the repository does not have the object. */
  info(oid: Oid): Promise<ObjectInfo | null>;
  exists(oid: Oid): Promise<boolean>;
  /** Throws `git.object-missing`, `git.object-kind` or `git.object-too-large` (64 MiB unless given). */
  readBlob(oid: Oid, maxBytes?: number): Promise<Buffer>;
  /** One level of a tree; the root tree of a commit when that is what `oid` names. */
  readTreeLevel(oid: Oid): Promise<readonly TreeNode[]>;
  /** Every entry that is not a folder, in git's order, throughout the tree. Throws `git.tree-too-large` past `maxEntries` (1 000 000). */
  readTree(oid: Oid, maxEntries?: number): Promise<readonly TreeEntry[]>;
  readCommit(oid: Oid): Promise<Commit>;
  /** `damaged` after git met an object that it cannot read; `suspect` after one was not there that a caller counted on. */
  health(): 'sound' | 'suspect' | 'damaged';
  close(): Promise<void>;
}

/** Reads objects of the repository in `gitDir` through one long-lived `git cat-file`, started at the first question. */
export function openObjects(gitDir: string, limits?: ChildLimits): ObjectReader {
  const catFile = openCatFile(gitDir, limits);
  let suspect = false;
  const read = async (oid: Oid, kind: ObjectKind, maxBytes: number): Promise<Buffer> => {
    const found = await catFile.info(oidSchema.parse(oid));
    if (found === null) {
      suspect = true;
      throw fault('missing', `Object ${oid} is not in the clone.`);
    }
    if (found.kind !== kind) throw fault('kind', `Object ${oid} is a ${found.kind}, not a ${kind}.`);
    if (found.size > maxBytes) throw fault('too-large', `Object ${oid} has ${found.size} bytes.`);
    return await catFile.contents(oid);
  };
  const readCommit = async (oid: Oid) => parseCommit(oid, await read(oid, 'commit', 16 * mebibyte));
  const readTreeLevel = async (oid: Oid) => {
    const found = await catFile.info(oidSchema.parse(oid));
    const tree = found?.kind === 'commit' ? (await readCommit(oid)).tree : oid;
    return parseTree(await read(tree, 'tree', 64 * mebibyte));
  };
  return {
    info: (oid) => catFile.info(oidSchema.parse(oid)),
    exists: async (oid) => (await catFile.info(oidSchema.parse(oid))) !== null,
    readBlob: (oid, maxBytes = 64 * mebibyte) => read(oid, 'blob', maxBytes),
    readTreeLevel,
    readTree: (oid, maxEntries = 1_000_000) => walk(readTreeLevel, oid, maxEntries),
    readCommit,
    health: () => (catFile.damaged() ? 'damaged' : suspect ? 'suspect' : 'sound'),
    close: async () => {
      suspect = false;
      await catFile.close();
    },
  };
}

const mebibyte = 1024 * 1024;

async function walk(
  level: (oid: Oid) => Promise<readonly TreeNode[]>,
  root: Oid,
  maxEntries: number,
): Promise<readonly TreeEntry[]> {
  const entries: TreeEntry[] = [];
  const visit = async (oid: Oid, prefix: string, depth: number): Promise<void> => {
    if (depth > 500) throw fault('too-deep', `Tree ${root} is nested deeper than 500 folders.`);
    for (const { name, ...node } of await level(oid)) {
      const path = `${prefix}${name}`;
      if (node.kind === 'tree') await visit(node.oid, `${path}/`, depth + 1);
      else entries.push({ ...node, path });
      if (entries.length > maxEntries)
        throw fault('too-large', `Tree ${root} has more than ${maxEntries} entries.`);
    }
  };
  await visit(root, '', 0);
  return entries;
}

function fault(what: string, message: string): CcdError {
  return new CcdError({
    code: `git.object-${what}`,
    message,
    remedy: 'The next pass reads afresh; if it persists, delete the clone, which is only a cache.',
    audience: 'operator',
  });
}
