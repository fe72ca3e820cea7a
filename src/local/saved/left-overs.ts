import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes from a bare repository what a killed server left in the middle of a write: locks of refs, which would be in the way
 * for ever, objects that are not whole, pushes that were not judged. Only for who has the folder alone.
 */
export async function removeLeftOvers(gitDir: string): Promise<void> {
  await removeBelow(join(gitDir, 'refs'), (name) => name.endsWith('.lock'));
  for (const name of await readdir(gitDir))
    if (name.endsWith('.lock')) await rm(join(gitDir, name), { force: true });
  const objects = join(gitDir, 'objects');
  for (const entry of await readdir(objects, { withFileTypes: true })) {
    const path = join(objects, entry.name);
    if (entry.name.startsWith('tmp_')) await rm(path, { recursive: true, force: true });
    else if (entry.isDirectory()) await removeBelow(path, (name) => name.startsWith('tmp_'));
  }
}

/** Removes from a kept folder the files that were written beside others and did not take their place any more. */
export async function removeHalfWritten(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (/^\.\w+\.\d+\.tmp$/.test(name)) await rm(join(dataDir, name), { force: true });
}

async function removeBelow(dir: string, unwanted: (name: string) => boolean): Promise<void> {
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) await removeBelow(path, unwanted);
    else if (unwanted(entry.name)) await rm(path, { force: true });
  }
}
