import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Text of a file that a hostile program may have put there: only a regular file is read, no link followed, nothing waited for.
 * Null when there is none, when it is something else, or when it is larger than `maxBytes`.
 */
export async function readRegularFile(path: string, maxBytes: number): Promise<string | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => null);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    if (!(await file.stat()).isFile() || size > maxBytes) return null;
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** The last `bytes` of such a file, for a message; empty when there is none. */
export async function readTail(path: string, bytes: number): Promise<string> {
  const text = await readRegularFile(path, 256 * 1024 * 1024);
  return (text ?? '').slice(-bytes);
}
