import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CcdError } from '../domain/errors.ts';

/** True for the errors by which a full disk or a used-up quota shows. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** The fault that a full disk becomes; other errors are passed through unchanged. */
export function asDiskFault(error: unknown, path: string): unknown {
  if (!isDiskFull(error)) return error;
  return new CcdError({
    code: 'host.disk-full',
    message: `The disk is full: ${path} could not be written.`,
    remedy: 'Free space on that disk and start again; nothing half-written was left.',
    audience: 'operator',
    cause: error,
  });
}

/**
 * Writes a file so that a reader sees the old content or the whole new one, also after a power cut: a temporary file
 * beside it, flushed, then renamed. Throws CcdError `host.disk-full`, or the system's error; the temporary file is gone then.
 */
export async function writeFileAtomic(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    await writeFlushed(temporary, content);
    await rename(temporary, path);
    await flushFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw asDiskFault(error, path);
  }
}

async function writeFlushed(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function flushFolder(path: string): Promise<void> {
  let folder: FileHandle;
  try {
    folder = await open(path, 'r');
  } catch {
    // Some systems do not open folders; the rename itself has happened.
    return;
  }
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
