import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeTree } from '../host/remove-tree.ts';
import { copyTree } from './copy-tree.ts';
import { type Mirror, mirrorOf } from './mirror.ts';
import type { Stage } from './stage.ts';

/** What setup left beside the tree's own files, kept outside the stage and mirrored into it before each run. */
export interface Installed {
  /** Topmost new paths in the tree. */
  readonly paths: readonly string[];
  readonly mirrors: readonly Mirror[];
}

export const nothingInstalled: Installed = { paths: [], mirrors: [] };

/** Caches of downloads: large, and nothing runs from them. */
const caches = ['.npm', '.cache'];

/** Moves what setup made, beside the files of the tree that it ran in, out of the stage. */
export async function takeInstalled(stage: Stage, tracked: readonly string[]): Promise<Installed> {
  const paths = await newPaths(stage.tree, new Set(tracked), foldersOf(tracked), '');
  for (const path of paths) {
    await mkdir(join(stage.installed, 'w', dirname(path)), { recursive: true });
    await rename(join(stage.tree, path), join(stage.installed, 'w', path));
  }
  for (const cache of caches) await removeTree(join(stage.home, cache));
  await mkdir(stage.installed, { recursive: true });
  await copyTree(stage.home, join(stage.installed, 'h'));
  const mirrors = paths.map((path) => mirrorOf(join(stage.installed, 'w', path), join(stage.tree, path)));
  return { paths, mirrors: [...mirrors, mirrorOf(join(stage.installed, 'h'), stage.home)] };
}

async function newPaths(
  root: string,
  tracked: ReadonlySet<string>,
  folders: ReadonlySet<string>,
  prefix: string,
): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(root, prefix), { withFileTypes: true })) {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (folders.has(path) && entry.isDirectory())
      found.push(...(await newPaths(root, tracked, folders, path)));
    else if (!tracked.has(path)) found.push(path);
  }
  return found;
}

function foldersOf(paths: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); folder !== '.' && !folders.has(folder); folder = dirname(folder)) {
      folders.add(folder);
    }
  }
  return folders;
}
