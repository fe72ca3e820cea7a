import { mkdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { asDiskFault } from '../host/files.ts';
import { scaffoldFiles } from './scaffold-files.ts';
import { usage } from './usage.ts';

export interface WrittenScaffold {
  readonly written: readonly string[];
  readonly kept: readonly string[];
}

/**
 * Writes the files that belong on trunk into a checkout; what stands there already is kept. When one cannot be written, none of this
 * call is left. Throws `cli.usage` when the folder is not there, `host.disk-full`, or the system's error.
 */
export async function writeScaffold(root: string, action?: string): Promise<WrittenScaffold> {
  if (!(await stat(root).catch(() => null))?.isDirectory())
    throw usage(`There is no folder ${root}.`, 'Name the checkout with --scaffold.');
  const files = scaffoldFiles(action);
  const written: string[] = [];
  const kept: string[] = [];
  const folders: string[] = [];
  try {
    for (const [path, text] of files) {
      const file = join(root, path);
      if (await stands(file)) {
        kept.push(path);
        continue;
      }
      await makeFolder(dirname(file), folders);
      written.push(path);
      await writeWhole(file, text);
    }
  } catch (error) {
    for (const path of written) await rm(join(root, path), { force: true });
    // Deepest first; one that holds something else stays.
    for (const folder of folders.reverse()) await rmdir(folder).catch(() => undefined);
    throw asDiskFault(error, root);
  }
  return { written, kept };
}

async function stands(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

/** Makes a folder and those above it, and notes which were not there before. */
async function makeFolder(folder: string, made: string[]): Promise<void> {
  if (await stands(folder)) return;
  await makeFolder(dirname(folder), made);
  await mkdir(folder);
  made.push(folder);
}

/** A reader sees the whole file or none. The rights are those of any file of a checkout. */
async function writeWhole(file: string, text: string): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.tmp`);
  try {
    await writeFile(temporary, text, { flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
