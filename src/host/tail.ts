import { type FileHandle, open } from 'node:fs/promises';
import type { Clock } from './clock.ts';

export interface TailOptions {
  readonly clock: Clock;
  readonly pollMs?: number;
  /** Aborted once the writer has ended: the rest is read, then the tail ends. */
  readonly writerEnded: AbortSignal;
  /** Where the tail ends although the file goes on: a file can be made endless without writing it. Default: never. */
  readonly maxBytes?: number;
  /** Called once when that point is reached. */
  readonly onTooMuch?: () => void;
}

/**
 * The bytes of a file that still grows, in order, to its very end after the writer has ended. A chunk is only valid until the
 * next one is asked for. The file must exist.
 */
export async function* tailBytes(path: string, options: TailOptions): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    yield* readChunks(file, options);
  } finally {
    await file.close();
  }
}

async function* readChunks(file: FileHandle, options: TailOptions): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(256 * 1024);
  let offset = 0;
  while (true) {
    // Read the flag before the file: what was written before the writer ended is then surely seen.
    const ended = options.writerEnded.aborted;
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
    offset += bytesRead;
    if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
    if (offset > (options.maxBytes ?? Number.POSITIVE_INFINITY)) {
      options.onTooMuch?.();
      return;
    }
    if (bytesRead > 0) continue;
    if (ended) return;
    await options.clock.sleep(options.pollMs ?? 40, options.writerEnded);
  }
}
