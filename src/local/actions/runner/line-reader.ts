/** Characters of one line; what is longer comes as several. */
const MAX_LINE = 1024 * 1024;

/** Makes lines of pieces of text, in time that grows with the text alone, however long its lines are. */
export class LineReader {
  readonly #onLine: (line: string) => void;
  #parts: string[] = [];
  #length = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  take(chunk: string): void {
    const lines = chunk.split('\n');
    for (const [index, text] of lines.entries()) {
      if (index > 0) this.#end();
      this.#add(text);
    }
  }

  /** The last line, which need not have an end. */
  close(): void {
    if (this.#length > 0) this.#end();
  }

  #add(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length >= MAX_LINE) this.#end();
  }

  #end(): void {
    const line = this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    this.#onLine(line.replace(/\r$/, ''));
  }
}
