import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TreeEntry } from '../git/objects.ts';
import type { BlobSource } from './blob-source.ts';
import { linkStaysInside, refusedPath } from './checkable-path.ts';

export type Laid = { readonly kind: 'laid' } | { readonly kind: 'refused'; readonly reason: string };

/**
 * Writes files from blobs into an existing folder: no attributes, no filters, no line-end conversion. Links are written last,
 * so that nothing is written through one; submodules stay empty folders. Hostile paths are refused before anything is written.
 * `taken`: paths that installed dependencies already stand at.
 */
export async function layTree(
  folder: string,
  entries: readonly TreeEntry[],
  blobs: BlobSource,
  taken: readonly string[] = [],
): Promise<Laid> {
  const reason = refusal(entries, taken);
  if (reason !== null) return { kind: 'refused', reason };
  for (const path of new Set(entries.map(({ path }) => dirname(path)))) {
    await mkdir(join(folder, path), { recursive: true });
  }
  for (const entry of entries.filter(({ kind }) => kind !== 'symlink')) await layEntry(folder, entry, blobs);
  for (const entry of entries.filter(({ kind }) => kind === 'symlink')) {
    const target = (await blobs.read(entry.oid)).toString('utf8');
    if (!linkStaysInside(entry.path, target)) return refuse(entry.path, 'it is a link that leaves the tree');
    await symlink(target, join(folder, entry.path));
  }
  return { kind: 'laid' };
}

async function layEntry(
  folder: string,
  { path, kind, mode, oid }: TreeEntry,
  blobs: BlobSource,
): Promise<void> {
  if (kind === 'gitlink') {
    await mkdir(join(folder, path), { recursive: true });
    return;
  }
  const file = join(folder, path);
  await rm(file, { force: true });
  await writeFile(file, await blobs.read(oid), { mode: mode === '100755' ? 0o755 : 0o644, flag: 'wx' });
}

function refusal(entries: readonly TreeEntry[], taken: readonly string[]): string | null {
  for (const { path, kind, utf8 } of entries) {
    if (!utf8) return sentence(path, 'its name is not UTF-8');
    if (kind === 'unknown' || kind === 'tree') return sentence(path, 'its mode is none that git writes');
    const why = refusedPath(path);
    if (why !== null) return sentence(path, why);
    const below = taken.find(
      (other) => path === other || path.startsWith(`${other}/`) || other.startsWith(`${path}/`),
    );
    if (below !== undefined)
      return sentence(path, `installed dependencies stand at ${JSON.stringify(below)}`);
  }
  return null;
}

function refuse(path: string, why: string): Laid {
  return { kind: 'refused', reason: sentence(path, why) };
}

function sentence(path: string, why: string): string {
  return `The path ${JSON.stringify(path.slice(0, 300))} cannot be written: ${why}.`;
}
