/** A line as a view into bytes that are only valid during the call. `end` is after its last byte, its line end left out. */
export type TakeLine = (bytes: Buffer, start: number, end: number) => void;

/** Capacity of an unfinished line that is kept for the next one; what was larger is given back. */
const keptCapacity = 8 * 1024 * 1024;

/**
 * Cuts chunks of bytes into lines at `\n` only, so that no character is ever torn. A line that lies whole in a chunk is not
 * copied; of an unfinished one each byte is copied a constant number of times, however many chunks it comes in. A line longer
 * than `maxLineBytes` is dropped as it comes.
 */
export class LineSplitter {
  #rest = Buffer.alloc(0);
  #size = 0;
  #dropped = 0;
  readonly #maxLineBytes: number;
  readonly #onLine: TakeLine;
  readonly #onOverlong: (bytes: number) => void;

  constructor(maxLineBytes: number, onLine: TakeLine, onOverlong: (bytes: number) => void) {
    this.#maxLineBytes = maxLineBytes;
    this.#onLine = onLine;
    this.#onOverlong = onOverlong;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      if (this.#size === 0 && this.#dropped === 0 && end - start <= this.#maxLineBytes)
        this.#onLine(chunk, start, end);
      else {
        this.#keep(chunk, start, end);
        this.#flush(this.#onLine);
      }
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk, start, chunk.length);
  }

  /** What came after the last line end, if anything did. */
  end(onRest: TakeLine): void {
    if (this.#size > 0 || this.#dropped > 0) this.#flush(onRest);
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    const size = this.#size + end - start;
    if (this.#dropped > 0 || size > this.#maxLineBytes) {
      this.#dropped += size;
      this.#size = 0;
      this.#rest = Buffer.alloc(0);
      return;
    }
    if (size > this.#rest.length) {
      const capacity = Math.min(this.#maxLineBytes, Math.max(size, 2 * this.#rest.length));
      const larger = Buffer.allocUnsafeSlow(capacity);
      this.#rest.copy(larger, 0, 0, this.#size);
      this.#rest = larger;
    }
    chunk.copy(this.#rest, this.#size, start, end);
    this.#size = size;
  }

  #flush(onLine: TakeLine): void {
    const [size, dropped] = [this.#size, this.#dropped];
    this.#size = 0;
    this.#dropped = 0;
    if (dropped > 0) this.#onOverlong(dropped);
    else onLine(this.#rest, 0, size);
    if (this.#rest.length > keptCapacity) this.#rest = Buffer.alloc(0);
  }
}
