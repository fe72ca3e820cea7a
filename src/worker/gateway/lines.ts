const lineFeed = 0x0a;

export interface Lines {
  push(bytes: Uint8Array): void;
  /** Gives out what stands after the last line end. */
  end(): void;
}

/**
 * Cuts bytes into lines, wherever they are cut themselves, and gives each to `take` with its whole length; of a line that is longer
 * than `longest` only the start. What is kept is never more than that.
 */
export function eachLine(longest: number, take: (start: Buffer, bytes: number) => void): Lines {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let bytes = 0;
  const keep = (part: Buffer) => {
    bytes += part.length;
    if (keptBytes >= longest) return;
    // A copy: the sender may use its buffer again.
    const start = Buffer.from(part.subarray(0, longest - keptBytes));
    kept.push(start);
    keptBytes += start.length;
  };
  const give = () => {
    if (bytes > 0) take(kept.length === 1 ? (kept[0] as Buffer) : Buffer.concat(kept), bytes);
    kept = [];
    keptBytes = 0;
    bytes = 0;
  };
  return {
    push: (chunk) => {
      const all = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      let from = 0;
      for (let at = all.indexOf(lineFeed); at >= 0; at = all.indexOf(lineFeed, from)) {
        const part = all.subarray(from, at);
        if (bytes === 0) {
          if (part.length > 0) take(part, part.length);
        } else {
          keep(part);
          give();
        }
        from = at + 1;
      }
      if (from < all.length) keep(all.subarray(from));
    },
    end: give,
  };
}
