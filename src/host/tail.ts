import { type FileHandle, open } from 'node:fs/promises';
import type { Clock } from './clock.ts';

export interface TailOptions {
  readonly clock: Clock;
  readonly pollMs?: number;
  /** Aborted once the writer has ended: the rest is read, then the tail ends. */
  readonly writerEnded: AbortSignal;
  /** A line longer than this (bytes) is given up and reported as null. Default 64 MiB. */
  readonly maxLineBytes?: number;
  /** Where the tail ends although the file goes on: a file can be made endless without writing it. Default: never. */
  readonly maxBytes?: number;
  /** Called once when that point is reached. */
  readonly onTooMuch?: () => void;
}

/** One line without its end; `cut` when the file ended before the line did. `text` is null for a line over the limit. */
export interface TailedLine {
  readonly text: string | null;
  readonly cut: boolean;
}

/**
 * Lines of a file that still grows, in order, to its very end after the writer has ended. Split on `\n` only; bytes are
 * decoded line by line, so that a character is never torn. The file must exist.
 */
export async function* tailLines(path: string, options: TailOptions): AsyncGenerator<TailedLine> {
  const file = await open(path, 'r');
  try {
    yield* readLines(file, options);
  } finally {
    await file.close();
  }
}

async function* readLines(file: FileHandle, options: TailOptions): AsyncGenerator<TailedLine> {
  const splitter = new LineSplitter(options.maxLineBytes ?? 64 * 1024 * 1024);
  const buffer = Buffer.alloc(256 * 1024);
  let offset = 0;
  while (true) {
    // Read the flag before the file: what was written before the writer ended is then surely seen.
    const ended = options.writerEnded.aborted;
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
    offset += bytesRead;
    yield* splitter.push(buffer.subarray(0, bytesRead));
    if (offset > (options.maxBytes ?? Number.POSITIVE_INFINITY)) {
      options.onTooMuch?.();
      return;
    }
    if (bytesRead > 0) continue;
    if (ended) break;
    await options.clock.sleep(options.pollMs ?? 40, options.writerEnded);
  }
  yield* splitter.end();
}

/** Cuts bytes into lines, keeping no more than one unfinished line. */
class LineSplitter {
  #parts: Buffer[] = [];
  #size = 0;
  #overlong = false;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  *push(bytes: Buffer): Generator<TailedLine> {
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      this.#add(bytes.subarray(start, end));
      yield { text: this.#take(), cut: false };
      start = end + 1;
    }
    // A copy: the caller reads into the same buffer again.
    if (start < bytes.length) this.#add(Buffer.from(bytes.subarray(start)));
  }

  *end(): Generator<TailedLine> {
    if (this.#size > 0 || this.#overlong) yield { text: this.#take(), cut: true };
  }

  #add(bytes: Buffer): void {
    if (this.#size + bytes.length > this.#limit) this.#overlong = true;
    if (this.#overlong) {
      this.#parts = [];
      return;
    }
    this.#parts.push(bytes);
    this.#size += bytes.length;
  }

  #take(): string | null {
    const text = this.#overlong ? null : Buffer.concat(this.#parts).toString('utf8');
    this.#parts = [];
    this.#size = 0;
    this.#overlong = false;
    return text;
  }
}
