import { Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

export interface ZipEntry {
  /** Path inside the archive, with `/`. */
  readonly path: string;
  readonly data: Buffer;
  /** Permission bits, 0o644 unless given. */
  readonly mode?: number;
}

/** What goes into an archive, in one piece or as it comes. */
export interface ZipSource extends Omit<ZipEntry, 'data'> {
  readonly data: Buffer | AsyncIterable<Buffer>;
}

interface Packed {
  readonly name: Buffer;
  readonly mode: number;
  readonly bytes: Buffer;
  readonly sum: number;
  /** Bytes before packing. */
  readonly size: number;
}

/** What the fields of a zip can hold. */
const MAX_ENTRIES = 65_535;
const MAX_SIZE = 2 ** 32 - 1;
/** Bytes that are summed in one go, so that others get their turn. */
const PIECE = 1024 * 1024;

/** Midnight of 1980-01-01, the earliest time a zip can hold: archives of equal content are equal. */
const DOS_DATE = 0x21;

function localHeader({ name, bytes, sum, size }: Packed): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(0x0800, 6);
  header.writeUInt16LE(8, 8);
  header.writeUInt16LE(DOS_DATE, 12);
  header.writeUInt32LE(sum, 14);
  header.writeUInt32LE(bytes.length, 18);
  header.writeUInt32LE(size, 22);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

function centralHeader({ name, mode, bytes, sum, size }: Packed, offset: number): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(0x0314, 4);
  header.writeUInt16LE(20, 6);
  header.writeUInt16LE(0x0800, 8);
  header.writeUInt16LE(8, 10);
  header.writeUInt16LE(DOS_DATE, 14);
  header.writeUInt32LE(sum, 16);
  header.writeUInt32LE(bytes.length, 20);
  header.writeUInt32LE(size, 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt32LE(((0o100000 | mode) << 16) >>> 0, 38);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, name]);
}

function* piecesOf(data: Buffer): Generator<Buffer> {
  for (let at = 0; at < data.length; at += PIECE) yield data.subarray(at, at + PIECE);
}

/** Null when it packs to more than `room`, or is larger than a zip can say. */
async function pack({ path, data, mode = 0o644 }: ZipSource, room: number): Promise<Packed | null> {
  let [sum, size, packed] = [0, 0, 0];
  async function* watched(): AsyncGenerator<Buffer> {
    for await (const piece of Buffer.isBuffer(data) ? piecesOf(data) : data) {
      sum = crc32(piece, sum);
      size += piece.length;
      yield piece;
    }
  }
  const source = Readable.from(watched());
  const deflated = createDeflateRaw();
  source.on('error', (error) => deflated.destroy(error)).pipe(deflated);
  const bytes: Buffer[] = [];
  for await (const piece of deflated) {
    bytes.push(piece as Buffer);
    packed += (piece as Buffer).length;
    if (packed > room || size > MAX_SIZE) break;
  }
  source.destroy();
  if (packed > room || size > MAX_SIZE) return null;
  return { name: Buffer.from(path, 'utf8'), mode, bytes: Buffer.concat(bytes), sum, size };
}

/**
 * Packs files into a zip archive (deflate, UTF-8 names), piece by piece: a large one keeps nobody waiting. Null when it would
 * have more than `maxBytes`, or more or larger files than a zip can say.
 */
export async function writeZip(
  entries: readonly ZipSource[],
  maxBytes: number = MAX_SIZE,
): Promise<Buffer | null> {
  if (entries.length > MAX_ENTRIES) return null;
  const parts: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const packed = await pack(entry, maxBytes - offset);
    if (packed === null) return null;
    const local = localHeader(packed);
    centrals.push(centralHeader(packed, offset));
    parts.push(local, packed.bytes);
    offset += local.length + packed.bytes.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return offset + directory.length + end.length > maxBytes ? null : Buffer.concat([...parts, directory, end]);
}
