import { randomBytes } from 'node:crypto';
import { chmod, lstat, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';

/** So many names of the greatest length fit into a path with room to spare. */
const deepest = 8;

/**
 * Removes a folder that hostile programs wrote into, whatever they left: closed folders, names that are no text, nesting that is
 * longer than any path may be. Links are never followed.
 */
export async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    await removeByHand(Buffer.from(folder));
  }
}

/**
 * Names are bytes here. What lies too deep is moved to the top and emptied from there. What is gone already is no fault: the
 * removal that gave up goes on for a while beside this one with what it had begun.
 */
async function removeByHand(root: Buffer): Promise<void> {
  const state = await lstat(root).catch(() => null);
  if (state === null || !state.isDirectory()) return await rm(root, { force: true });
  const waiting = [root];
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    await emptyFolder(folder, 0, async (deep) => {
      const moved = below(root, Buffer.from(`.ccd-removed-${randomBytes(8).toString('hex')}`));
      await unlessGone(rename(deep, moved));
      waiting.push(moved);
    });
    if (folder !== root) await unlessGone(rmdir(folder));
  }
  await unlessGone(rmdir(root));
}

async function emptyFolder(
  folder: Buffer,
  depth: number,
  moveUp: (folder: Buffer) => Promise<void>,
): Promise<void> {
  await unlessGone(chmod(folder, 0o700));
  const entries = await unlessGone(readdir(folder, { withFileTypes: true, encoding: 'buffer' }));
  for (const entry of entries ?? []) {
    const path = below(folder, entry.name);
    if (!entry.isDirectory()) await unlessGone(unlink(path));
    else if (depth < deepest) {
      await emptyFolder(path, depth + 1, moveUp);
      await unlessGone(rmdir(path));
    } else {
      await unlessGone(chmod(path, 0o700));
      await moveUp(path);
    }
  }
}

/** Null when the path was not there any more. */
async function unlessGone<T>(act: Promise<T>): Promise<T | null> {
  try {
    return await act;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

const below = (folder: Buffer, name: Buffer): Buffer => Buffer.concat([folder, Buffer.from('/'), name]);
