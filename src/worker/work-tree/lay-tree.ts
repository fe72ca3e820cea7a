import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CcdError } from '../../domain/errors.ts';
import type { Oid } from '../../domain/ids.ts';
import type { ObjectReader, TreeEntry } from '../../git/objects.ts';
import { asDiskFault } from '../../host/files.ts';

/**
 * Writes a tree's files into an empty folder, byte for byte: no filter, no line-end change. Gitlinks become empty folders.
 * Throws CcdError `worker.tree-unsafe` for a tree that no checkout may hold, `host.disk-full` when the disk is.
 */
export async function layTree(
  objects: ObjectReader,
  tree: Oid,
  folder: string,
): Promise<readonly TreeEntry[]> {
  const entries = await objects.readTree(tree);
  // Links last: nothing is ever written through one.
  const ordered = [...entries].sort((left, right) => rank(left) - rank(right));
  const made = new Set<string>();
  for (const entry of ordered) {
    refuseUnsafe(entry);
    const path = join(folder, entry.path);
    if (!made.has(dirname(path))) {
      await mkdir(dirname(path), { recursive: true });
      made.add(dirname(path));
    }
    await layEntry(objects, entry, path).catch((error: unknown) => {
      throw asDiskFault(error, path);
    });
  }
  return entries;
}

async function layEntry(objects: ObjectReader, entry: TreeEntry, path: string): Promise<void> {
  if (entry.kind === 'gitlink') await mkdir(path, { recursive: true });
  else if (entry.kind === 'symlink') await symlink(await objects.readBlob(entry.oid), path);
  else {
    await writeFile(path, await objects.readBlob(entry.oid, 1024 ** 3), { flag: 'wx' });
    if (entry.mode === '100755') await chmod(path, 0o755);
  }
}

const rank = (entry: TreeEntry): number => (entry.kind === 'symlink' ? 1 : 0);

function refuseUnsafe(entry: TreeEntry): void {
  const parts = entry.path.split('/');
  const safe =
    entry.utf8 &&
    !parts.some((part) => part === '' || part === '.' || part === '..' || /^\.git$/i.test(part));
  if (safe && entry.kind !== 'unknown') return;
  throw new CcdError({
    code: 'worker.tree-unsafe',
    message: `The base tree holds an entry that cannot be checked out safely: ${JSON.stringify(entry.path.slice(0, 200))}.`,
    remedy: 'Remove that entry from the default branch.',
    audience: 'operator',
  });
}
