import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes a folder that hostile programs wrote into; closed folders in it are opened first. Links are never followed. */
export async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    await openFolders(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function openFolders(folder: string): Promise<void> {
  const state = await lstat(folder).catch(() => null);
  if (state === null || !state.isDirectory()) return;
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await openFolders(join(folder, entry.name));
  }
}
