import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

const inflate = promisify(inflateRaw);

/** Unpacks raw deflate data that must come to `size` bytes; null when it is damaged or would be more. */
export async function inflateWithin(packed: Buffer, size: number): Promise<Buffer | null> {
  try {
    return await inflate(packed, { maxOutputLength: Math.max(size, 1) });
  } catch {
    return null;
  }
}
