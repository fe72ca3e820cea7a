import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const viaDescriptors = process.platform === 'linux';

export type EntryKind = 'folder' | 'file' | 'symlink' | 'special';

export interface FolderEntry {
  /** The name as text; null when its bytes are not UTF-8. */
  readonly name: string | null;
  readonly kind: EntryKind;
}

/** What tells whether a file is still the one that was read: the writer cannot set its change time. */
export interface FileStamp {
  readonly size: number;
  readonly changedNs: bigint;
  readonly inode: bigint;
  readonly executable: boolean;
}

export type FileReading =
  | { readonly kind: 'file'; readonly content: Buffer; readonly stamp: FileStamp }
  | { readonly kind: 'too-large'; readonly size: number }
  | { readonly kind: 'gone' };

/**
 * A folder held open while somebody else may be changing it: everything below is reached through the descriptor, and no
 * symbolic link is ever followed, not even one that replaces a folder between two looks.
 */
export class SafeFolder {
  readonly #handle: FileHandle;
  readonly #path: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    // Through the descriptor this is what openat(2) would do; elsewhere than on Linux only the path is left.
    this.#path = viaDescriptors ? `/proc/self/fd/${handle.fd}` : path;
  }

  /** Opens a folder; null when it is none (any more), or a symbolic link. */
  static async open(path: string): Promise<SafeFolder | null> {
    try {
      return new SafeFolder(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path);
    } catch (error) {
      if (isAbsence(error)) return null;
      throw error;
    }
  }

  async entries(): Promise<FolderEntry[]> {
    const found = await readdir(this.#path, { withFileTypes: true, encoding: 'buffer' });
    const entries = found.map((entry): FolderEntry => {
      const text = entry.name.toString('utf8');
      return { name: Buffer.from(text, 'utf8').equals(entry.name) ? text : null, kind: kindOf(entry) };
    });
    return entries.sort((left, right) => ((left.name ?? '') < (right.name ?? '') ? -1 : 1));
  }

  folder(name: string): Promise<SafeFolder | null> {
    return SafeFolder.open(join(this.#path, name));
  }

  async kind(name: string): Promise<EntryKind | null> {
    try {
      return kindOf(await lstat(join(this.#path, name)));
    } catch (error) {
      if (isAbsence(error)) return null;
      throw error;
    }
  }

  async link(name: string): Promise<Buffer | null> {
    try {
      return await readlink(join(this.#path, name), { encoding: 'buffer' });
    } catch (error) {
      if (isAbsence(error)) return null;
      throw error;
    }
  }

  /** A regular file's bytes, or its stamp alone when `known` says that those bytes were read before. */
  async file(
    name: string,
    maxBytes: number,
    known: (stamp: FileStamp) => boolean,
  ): Promise<FileReading | FileStamp> {
    let handle: FileHandle;
    try {
      // O_NONBLOCK: a pipe that took the file's place must not hold us.
      handle = await open(join(this.#path, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      if (isAbsence(error)) return { kind: 'gone' };
      throw error;
    }
    try {
      return await readOpened(handle, maxBytes, known);
    } finally {
      await handle.close();
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

async function readOpened(
  handle: FileHandle,
  maxBytes: number,
  known: (stamp: FileStamp) => boolean,
): Promise<FileReading | FileStamp> {
  const stat = await handle.stat({ bigint: true });
  if (!stat.isFile()) return { kind: 'gone' };
  const size = Number(stat.size);
  const stamp = { size, changedNs: stat.ctimeNs, inode: stat.ino, executable: (stat.mode & 0o100n) !== 0n };
  if (size > maxBytes) return { kind: 'too-large', size };
  if (known(stamp)) return stamp;
  const content = await readBounded(handle, size, maxBytes);
  return content === null ? { kind: 'too-large', size: maxBytes + 1 } : { kind: 'file', content, stamp };
}

/** The file may grow while it is read: never more than the limit is taken in. */
async function readBounded(handle: FileHandle, size: number, maxBytes: number): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let total = 0;
  while (true) {
    const buffer = Buffer.allocUnsafe(Math.min(Math.max(size - total, 0) + 4096, 4 * 1024 * 1024));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, total);
    if (bytesRead === 0) return Buffer.concat(parts, total);
    total += bytesRead;
    if (total > maxBytes) return null;
    parts.push(buffer.subarray(0, bytesRead));
  }
}

function kindOf(entry: { isDirectory(): boolean; isFile(): boolean; isSymbolicLink(): boolean }): EntryKind {
  if (entry.isSymbolicLink()) return 'symlink';
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'special';
}

/** Gone, replaced by another kind, a link (ELOOP), or shut by the agent: nothing that can be read as a file or folder. */
function isAbsence(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return (
    typeof code === 'string' &&
    ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO', 'EINVAL', 'ENAMETOOLONG'].includes(code)
  );
}
