import { lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../host/remove-tree.ts';

/** Folders of one execution. The same absolute paths in every run, for tools that write them into what they install. */
export interface Stage {
  readonly root: string;
  readonly tree: string;
  readonly home: string;
  readonly temp: string;
  /** Reports are written here, outside the tree. */
  readonly reports: string;
  /** What the reporters need; not writable for what runs. */
  readonly support: string;
  /** Standard output and error of what runs; written by us. */
  readonly logs: string;
  /** What `setup` left beside the tree's own files. */
  readonly installed: string;
}

/** Names are short: programs make sockets below them, and those have short names. */
export function stageAt(root: string): Stage {
  const at = (name: string) => join(root, name);
  return {
    root,
    tree: at('w'),
    home: at('h'),
    temp: at('t'),
    reports: at('r'),
    support: at('s'),
    logs: at('l'),
    installed: at('i'),
  };
}

/** Empties everything that a run could have written, but for the folders in `kept`, which are put right by other means. */
export async function clearStage(stage: Stage, kept: readonly string[] = []): Promise<void> {
  for (const folder of [stage.tree, stage.home, stage.temp, stage.reports, stage.support, stage.logs]) {
    await clearFolder(folder, kept);
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
}

async function clearFolder(folder: string, kept: readonly string[]): Promise<void> {
  const inside = kept.filter((path) => path === folder || path.startsWith(`${folder}/`));
  if (inside.includes(folder)) return;
  const state = await lstat(folder).catch(() => null);
  if (inside.length === 0 || state?.isDirectory() !== true) {
    await removeTree(folder);
    return;
  }
  for (const name of await readdir(folder)) await clearFolder(join(folder, name), inside);
}
