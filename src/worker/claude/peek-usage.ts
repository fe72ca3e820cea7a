import type { Usage } from './events.ts';
import { eachField, isWord, skipValue } from './json-scan.ts';

type Figures = { -readonly [name in keyof Usage]: number };

/**
 * Reads the `usage` object at `start` as `usageSchema` does: a figure that is absent or no number counts as zero. By hand,
 * because a stream holds one for each message twice.
 */
export function peekUsage(bytes: Buffer, start: number, end: number): Usage {
  const figures: Figures = {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_creation_long_input_tokens: 0,
  };
  eachField(bytes, start, end, takeFigure, figures);
  return figures;
}

function takeFigure(
  into: Figures,
  bytes: Buffer,
  keyStart: number,
  keyEnd: number,
  start: number,
  end: number,
): number {
  const after = skipValue(bytes, start, end);
  if (after < 0) return after;
  if (isWord(bytes, keyStart, keyEnd, 'input_tokens')) into.input_tokens = figure(bytes, start, after);
  else if (isWord(bytes, keyStart, keyEnd, 'output_tokens')) into.output_tokens = figure(bytes, start, after);
  else if (isWord(bytes, keyStart, keyEnd, 'cache_read_input_tokens'))
    into.cache_read_input_tokens = figure(bytes, start, after);
  else if (isWord(bytes, keyStart, keyEnd, 'cache_creation_input_tokens'))
    into.cache_creation_input_tokens = figure(bytes, start, after);
  else if (isWord(bytes, keyStart, keyEnd, 'cache_creation')) {
    into.cache_creation_long_input_tokens = 0;
    eachField(bytes, start, after, takeCacheFigure, into);
  }
  return after;
}

function takeCacheFigure(
  into: Figures,
  bytes: Buffer,
  keyStart: number,
  keyEnd: number,
  start: number,
  end: number,
): number {
  const after = skipValue(bytes, start, end);
  if (after >= 0 && isWord(bytes, keyStart, keyEnd, 'ephemeral_1h_input_tokens'))
    into.cache_creation_long_input_tokens = figure(bytes, start, after);
  return after;
}

/** A number that is not below zero; anything else is zero. */
function figure(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at += 1) {
    const digit = bytes[at]! - 0x30;
    // Fractions and powers are never written for tokens, and mean what they say all the same.
    if (digit < 0 || digit > 9 || end - start > 15) return odd(bytes, start, end);
    value = value * 10 + digit;
  }
  return value;
}

function odd(bytes: Buffer, start: number, end: number): number {
  if (end - start > 100 || !/^\d[\d.eE+-]*$/.test(bytes.toString('latin1', start, end))) return 0;
  const value = Number(bytes.toString('latin1', start, end));
  return Number.isFinite(value) ? value : 0;
}
