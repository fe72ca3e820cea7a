import { execFile } from 'node:child_process';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { removeTree } from './remove-tree.ts';
import type { Stage } from './stage.ts';

/** What setup left: the topmost new paths in the tree, and whether it put something into the home. */
export interface Installed {
  readonly paths: readonly string[];
}

export const nothingInstalled: Installed = { paths: [] };

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
  await rename(stage.home, join(stage.installed, 'h'));
  return { paths };
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

/** Copies what was installed into a cleared stage; a copy, so that no run changes what another one uses. */
export async function placeInstalled(stage: Stage, installed: Installed): Promise<void> {
  for (const path of installed.paths) {
    await mkdir(join(stage.tree, dirname(path)), { recursive: true });
    await copy(join(stage.installed, 'w', path), join(stage.tree, path));
  }
  if (installed !== nothingInstalled) await copy(`${join(stage.installed, 'h')}/.`, stage.home);
}

/** The system's own copy: many times faster for a hundred thousand small files, and it shares blocks where it can. */
async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', '--', from, to]);
}
