import { crc32Of } from './crc32.ts';
import { inflateWithin } from './inflate-within.ts';

export interface ZipLimits {
  /** Size of the archive, of one file and of all files together, in bytes. */
  readonly archiveBytes: number;
  readonly fileBytes: number;
  readonly totalBytes: number;
  readonly entries: number;
}

const mebibyte = 1024 * 1024;

export const defaultZipLimits: ZipLimits = {
  archiveBytes: 96 * mebibyte,
  fileBytes: 96 * mebibyte,
  totalBytes: 128 * mebibyte,
  entries: 100,
};

/** `refused` says in plain words what is wrong with the archive; nothing of it was kept. */
export type ZipResult =
  | { readonly kind: 'read'; readonly files: ReadonlyMap<string, Buffer> }
  | { readonly kind: 'refused'; readonly detail: string };

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly at: number;
}

class Malformed extends Error {}

/**
 * Files of a hostile zip archive, such as an artifact, in memory. Nothing is written anywhere. The central directory is the
 * only truth; what its limits do not allow, encrypted, overlapping, linked or doubly named entries, refuses the archive.
 */
export async function readZip(archive: Buffer, limits: Partial<ZipLimits> = {}): Promise<ZipResult> {
  const bounds = { ...defaultZipLimits, ...limits };
  try {
    if (archive.length > bounds.archiveBytes) throw new Malformed('the archive is too large');
    const entries = readDirectory(archive, bounds);
    const files = new Map<string, Buffer>();
    for (const entry of entries) files.set(entry.name, await unpack(archive, entry));
    return { kind: 'read', files };
  } catch (problem) {
    if (problem instanceof Malformed) return { kind: 'refused', detail: problem.message };
    // Reads past the end of a buffer: the archive points outside itself.
    if (problem instanceof RangeError) return { kind: 'refused', detail: 'the archive is cut off' };
    throw problem;
  }
}

const endLength = 22;
const entryLength = 46;
const localLength = 30;

function readDirectory(archive: Buffer, bounds: ZipLimits): readonly Entry[] {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0 || end + endLength + archive.readUInt16LE(end + 20) !== archive.length)
    throw new Malformed('no zip archive');
  const count = archive.readUInt16LE(end + 10);
  if (archive.readUInt32LE(end + 4) !== 0 || count !== archive.readUInt16LE(end + 8))
    throw new Malformed('several disks');
  if (count > bounds.entries) throw new Malformed('too many entries');
  const entries: Entry[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    const { entry, next } = readEntry(archive, at);
    if (entry !== null) entries.push(entry);
    at = next;
  }
  if (at !== end) throw new Malformed('the directory is not where it should be');
  checkTogether(archive, entries, bounds);
  return entries;
}

function readEntry(archive: Buffer, at: number): { entry: Entry | null; next: number } {
  if (archive.readUInt32LE(at) !== 0x02014b50) throw new Malformed('a broken directory');
  const lengthOfName = archive.readUInt16LE(at + 28);
  const next =
    at + entryLength + lengthOfName + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  const raw = archive.subarray(at + entryLength, at + entryLength + lengthOfName);
  const name = raw.toString('utf8');
  if (!Buffer.from(name, 'utf8').equals(raw)) throw new Malformed('a name that is not UTF-8');
  checkName(name);
  const entry = {
    name,
    method: archive.readUInt16LE(at + 10),
    crc: archive.readUInt32LE(at + 16),
    packed: archive.readUInt32LE(at + 20),
    size: archive.readUInt32LE(at + 24),
    at: archive.readUInt32LE(at + 42),
  };
  if ((archive.readUInt16LE(at + 8) & 0x2041) !== 0) throw new Malformed('encrypted');
  const unixType = (archive.readUInt32LE(at + 38) >>> 28) & 0xf;
  if (![0, 4, 8].includes(unixType)) throw new Malformed(`no plain file: ${name}`);
  if (name.endsWith('/')) {
    if (entry.size !== 0) throw new Malformed('a folder with content');
    return { entry: null, next };
  }
  return { entry, next };
}

function checkName(name: string): void {
  const parts = name.replace(/\/$/, '').split('/');
  const plain = parts.every((part) => part !== '' && part !== '.' && part !== '..');
  if (!plain || /[\\:\u0000-\u001f\u007f]/.test(name) || name.length > 1000)
    throw new Malformed('a name that leads elsewhere');
}

function checkTogether(archive: Buffer, entries: readonly Entry[], bounds: ZipLimits): void {
  const names = new Set(entries.map(({ name }) => name.normalize('NFC').toLowerCase()));
  if (names.size !== entries.length) throw new Malformed('one name twice');
  if (entries.some(({ size }) => size > bounds.fileBytes)) throw new Malformed('a file is too large');
  if (entries.reduce((sum, { size }) => sum + size, 0) > bounds.totalBytes)
    throw new Malformed('too large altogether');
  let taken = 0;
  for (const entry of [...entries].sort((left, right) => left.at - right.at)) {
    if (entry.at < taken) throw new Malformed('entries that overlap');
    taken = dataStart(archive, entry) + entry.packed;
  }
}

/** The local header must name the same file; its sizes may stand after the data and are not looked at. */
function dataStart(archive: Buffer, entry: Entry): number {
  if (archive.readUInt32LE(entry.at) !== 0x04034b50) throw new Malformed('a broken entry');
  const lengthOfName = archive.readUInt16LE(entry.at + 26);
  const start = entry.at + localLength + lengthOfName + archive.readUInt16LE(entry.at + 28);
  const name = archive.toString('utf8', entry.at + localLength, entry.at + localLength + lengthOfName);
  if (name !== entry.name) throw new Malformed('an entry with two names');
  return start;
}

async function unpack(archive: Buffer, entry: Entry): Promise<Buffer> {
  const start = dataStart(archive, entry);
  const packed = archive.subarray(start, start + entry.packed);
  if (packed.length !== entry.packed) throw new Malformed('the archive is cut off');
  const content = entry.method === 0 ? Buffer.from(packed) : await inflated(packed, entry);
  if (content.length !== entry.size || crc32Of(content) !== entry.crc)
    throw new Malformed(`damaged: ${entry.name}`);
  return content;
}

async function inflated(packed: Buffer, entry: Entry): Promise<Buffer> {
  if (entry.method !== 8) throw new Malformed(`an unknown method for ${entry.name}`);
  const content = await inflateWithin(packed, entry.size);
  if (content === null) throw new Malformed(`damaged: ${entry.name}`);
  return content;
}
