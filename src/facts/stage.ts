import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from './remove-tree.ts';

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

/** Empties everything that a run could have written. */
export async function clearStage(stage: Stage): Promise<void> {
  for (const folder of [stage.tree, stage.home, stage.temp, stage.reports, stage.support, stage.logs]) {
    await removeTree(folder);
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }
}
