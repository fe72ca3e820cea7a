import { type BigIntStats, lstatSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeTree } from '../host/remove-tree.ts';
import { copyTree } from './copy-tree.ts';

/** A copy of a file or folder that hostile programs may have changed, and that is put right before each use. */
export interface Mirror {
  readonly copy: string;
  /** Makes the copy equal to the original, at the cost of a look at each file and a copy of each changed one. */
  restore(): Promise<void>;
}

/**
 * A copy of `original` at `copy`. What was changed in it is found by inode, size, mode and the time of the last change of
 * state, which a program cannot set.
 */
export function mirrorOf(original: string, copy: string): Mirror {
  const stamps = new Map<string, string>();
  return {
    copy,
    restore: async () => {
      await mkdir(dirname(copy), { recursive: true });
      await restorePath('', { original, copy, stamps });
    },
  };
}

interface Places {
  readonly original: string;
  readonly copy: string;
  readonly stamps: Map<string, string>;
}

async function restorePath(path: string, places: Places): Promise<void> {
  const { original, copy, stamps } = places;
  const stats = statsOf(join(copy, path));
  const known = stamps.get(path);
  if (stats === null || known === undefined || (!stats.isDirectory() && stampOf(stats) !== known)) {
    await replace(path, places);
    return;
  }
  // A folder made anew holds nothing that is known, and a link in its place is no folder.
  if (!stats.isDirectory()) return;
  if (!known.startsWith(`folder ${stats.ino} ${stats.mode}`)) {
    await replace(path, places);
    return;
  }
  // Unchanged folders hold what they held; their files may still have changed.
  const names = new Set(readdirSync(join(original, path)));
  for (const name of readdirSync(join(copy, path))) {
    if (!names.has(name)) await removeTree(join(copy, path, name));
  }
  for (const name of names) await restorePath(path === '' ? name : `${path}/${name}`, places);
}

async function replace(path: string, places: Places): Promise<void> {
  const target = join(places.copy, path);
  await removeTree(target);
  await copyTree(join(places.original, path), target);
  remember(path, places);
}

function remember(path: string, places: Places): void {
  const target = join(places.copy, path);
  const stats = statsOf(target);
  if (stats === null) return;
  places.stamps.set(path, stampOf(stats));
  if (!stats.isDirectory()) return;
  for (const name of readdirSync(target)) remember(path === '' ? name : `${path}/${name}`, places);
}

function statsOf(path: string): BigIntStats | null {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
}

function stampOf(stats: BigIntStats): string {
  if (stats.isDirectory()) return `folder ${stats.ino} ${stats.mode}`;
  return `${stats.ino} ${stats.mode} ${stats.size} ${stats.ctimeNs}`;
}
