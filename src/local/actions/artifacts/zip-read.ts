import { inflateRawSync } from 'node:zlib';
import { CcdError } from '../../../domain/errors.ts';
import type { ZipEntry } from './zip-write.ts';

function bad(message: string): CcdError {
  return new CcdError({
    code: 'local.zip',
    message: `The archive cannot be read: ${message}.`,
    remedy: 'Upload the artifact again.',
    audience: 'operator',
  });
}

function endOfDirectory(archive: Buffer): number {
  for (let at = archive.length - 22; at >= 0; at -= 1) if (archive.readUInt32LE(at) === 0x06054b50) return at;
  throw bad('it has no directory');
}

function checkedPath(path: string): string {
  const parts = path.split('/');
  if (path.startsWith('/') || path.includes('\\') || path.includes('\0') || parts.includes('..'))
    throw bad(`the path ${path}`);
  return path;
}

function inflate(
  archive: Buffer,
  at: number,
  method: number,
  packedSize: number,
  size: number,
  limit: number,
): Buffer {
  if (archive.readUInt32LE(at) !== 0x04034b50) throw bad('a file has no header');
  const start = at + 30 + archive.readUInt16LE(at + 26) + archive.readUInt16LE(at + 28);
  const packed = archive.subarray(start, start + packedSize);
  if (size > limit) throw bad('it unpacks to more than is allowed');
  if (method === 0) return Buffer.from(packed);
  if (method !== 8) throw bad(`compression method ${method}`);
  return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
}

/**
 * Unpacks a zip archive by its central directory. Directories are left out. Throws `local.zip` for paths that lead
 * out of the archive, unknown compression, or more than `maxBytes` of content.
 */
export function readZip(archive: Buffer, maxBytes: number): ZipEntry[] {
  if (archive.length < 22) throw bad('it is too short');
  const end = endOfDirectory(archive);
  const count = archive.readUInt16LE(end + 10);
  const entries: ZipEntry[] = [];
  let at = archive.readUInt32LE(end + 16);
  let total = 0;
  for (let index = 0; index < count; index += 1) {
    if (archive.readUInt32LE(at) !== 0x02014b50) throw bad('its directory is damaged');
    const method = archive.readUInt16LE(at + 10);
    const packedSize = archive.readUInt32LE(at + 20);
    const size = archive.readUInt32LE(at + 24);
    const nameLength = archive.readUInt16LE(at + 28);
    const path = checkedPath(archive.toString('utf8', at + 46, at + 46 + nameLength));
    const mode = (archive.readUInt32LE(at + 38) >>> 16) & 0o777;
    if (!path.endsWith('/')) {
      const data = inflate(
        archive,
        archive.readUInt32LE(at + 42),
        method,
        packedSize,
        size,
        maxBytes - total,
      );
      total += data.length;
      entries.push({ path, data, ...(mode === 0 ? {} : { mode }) });
    }
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return entries;
}
