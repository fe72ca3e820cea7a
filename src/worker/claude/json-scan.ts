/**
 * Looks into JSON text without parsing it: finds the values of an object or a list by their brackets and quotes. Texts that the
 * agent wrote are stepped over, never decoded. What is not well-formed enough to be stepped over gives -1; what stands between
 * brackets is not checked any further, and a key written with escapes is not recognised.
 */
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
/** So many bytes of a string are looked at one by one before the native search is asked: most strings, and most code, are short. */
const byteByByte = 64;

/** Where the value that starts at `start` ends, or -1. */
export function skipValue(bytes: Buffer, start: number, end: number): number {
  const first = bytes[start];
  if (first === quote) return skipString(bytes, start, end);
  if (first === openBrace || first === openBracket) return skipNested(bytes, start, end);
  let at = start;
  while (at < end && isBare(bytes[at]!)) at += 1;
  return at > start ? at : -1;
}

/**
 * What is done with a field: told where its key stands (without quotes) and where its value starts, it says where the value
 * ends, or -1. Static functions with a target instead of closures: this is called for each field of each line.
 */
export type TakeField<T> = (
  target: T,
  bytes: Buffer,
  keyStart: number,
  keyEnd: number,
  valueStart: number,
  end: number,
) => number;

/** Gives each field of the object at `start` to `take`, and says where the object ends; -1 when it is none or is broken. */
export function eachField<T>(
  bytes: Buffer,
  start: number,
  end: number,
  take: TakeField<T>,
  target: T,
): number {
  if (bytes[start] !== openBrace) return -1;
  let at = skipSpace(bytes, start + 1, end);
  if (bytes[at] === closeBrace && at < end) return at + 1;
  while (at < end) {
    const keyEnd = bytes[at] === quote ? skipString(bytes, at, end) : -1;
    if (keyEnd < 0) return -1;
    const between = skipSpace(bytes, keyEnd, end);
    if (between >= end || bytes[between] !== colon) return -1;
    const valueStart = skipSpace(bytes, between + 1, end);
    const valueEnd = valueStart < end ? take(target, bytes, at + 1, keyEnd - 1, valueStart, end) : -1;
    if (valueEnd < 0) return -1;
    at = skipSpace(bytes, valueEnd, end);
    if (at >= end) return -1;
    if (bytes[at] === closeBrace) return at + 1;
    if (bytes[at] !== comma) return -1;
    at = skipSpace(bytes, at + 1, end);
  }
  return -1;
}

/** Gives the start of each value of the list at `start` to `take`, which says where it ends; otherwise as `eachField`. */
export function eachItem<T>(
  bytes: Buffer,
  start: number,
  end: number,
  take: (target: T, bytes: Buffer, valueStart: number, end: number) => number,
  target: T,
): number {
  if (bytes[start] !== openBracket) return -1;
  let at = skipSpace(bytes, start + 1, end);
  if (bytes[at] === closeBracket && at < end) return at + 1;
  while (at < end) {
    const valueEnd = take(target, bytes, at, end);
    if (valueEnd < 0) return -1;
    at = skipSpace(bytes, valueEnd, end);
    if (at >= end) return -1;
    if (bytes[at] === closeBracket) return at + 1;
    if (bytes[at] !== comma) return -1;
    at = skipSpace(bytes, at + 1, end);
  }
  return -1;
}

export function skipSpace(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && isSpace(bytes[at]!)) at += 1;
  return at;
}

/** Compares bytes with a word of ASCII letters. */
export function isWord(bytes: Buffer, start: number, end: number, word: string): boolean {
  if (end - start !== word.length) return false;
  for (let at = 0; at < word.length; at += 1) if (bytes[start + at] !== word.charCodeAt(at)) return false;
  return true;
}

/** A string value as one of some words: what is compared is not copied. Any other short text is; null otherwise. */
export function wordOf(bytes: Buffer, start: number, end: number, words: readonly string[]): string | null {
  if (bytes[start] !== quote) return null;
  for (const word of words) if (isWord(bytes, start + 1, end - 1, word)) return word;
  return shortText(bytes, start, end);
}

/** A short string value without escapes, or null: for ids and words of a fixed set. */
export function shortText(bytes: Buffer, start: number, end: number): string | null {
  if (bytes[start] !== quote || end - start > 200) return null;
  const text = bytes.toString('utf8', start + 1, end - 1);
  return text.includes('\\') ? null : text;
}

function skipString(bytes: Buffer, start: number, end: number): number {
  let at = start + 1;
  while (at < end) {
    const near = Math.min(end, at + byteByByte);
    while (at < near) {
      const byte = bytes[at];
      if (byte === quote) return at + 1;
      at += byte === backslash ? 2 : 1;
    }
    if (at >= end) return -1;
    // A view bounded by the line: a search must not run on into the lines after a broken one.
    const found = bytes.subarray(at, end).indexOf(quote);
    if (found < 0) return -1;
    if (!isEscaped(bytes, at, at + found)) return at + found + 1;
    at += found + 1;
  }
  return -1;
}

/** Whether the backslashes before a quote make it a part of the text; `from` stands right after a whole character. */
function isEscaped(bytes: Buffer, from: number, at: number): boolean {
  let escapes = 0;
  while (at - 1 - escapes >= from && bytes[at - 1 - escapes] === backslash) escapes += 1;
  return escapes % 2 === 1;
}

function skipNested(bytes: Buffer, start: number, end: number): number {
  let depth = 0;
  let at = start;
  while (at < end) {
    const byte = bytes[at];
    if (byte === quote) {
      at = skipString(bytes, at, end);
      if (at < 0) return -1;
      continue;
    }
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  return -1;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function isBare(byte: number): boolean {
  return byte !== comma && byte !== closeBrace && byte !== closeBracket && byte !== quote && !isSpace(byte);
}
