import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Bytes of a file that the runner takes from a job. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * A file that a job may have put anything in the place of: its text, or null when it is no plain file (a pipe or a device would
 * never end), is not there, or is larger than any step's word to the runner.
 */
export async function readJobFile(path: string): Promise<string | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (file === null) return null;
  try {
    const stat = await file.stat();
    return stat.isFile() && stat.size <= MAX_BYTES ? await file.readFile('utf8') : null;
  } finally {
    await file.close();
  }
}
