import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Meter } from './meter.ts';

/** A meter for an answer as it comes over the wire. `end` waits until all that was pushed has been looked at. */
export interface WireMeter {
  /** Null, or a promise to wait for before the next piece: what is not yet looked at is not piled up. */
  push(bytes: Buffer): Promise<void> | null;
  end(): Promise<ReturnType<Meter['end']>>;
}

/**
 * Reads an answer's figures through its compression. No upstream is asked for one, but some compress all the same. An encoding
 * that nobody here knows, or that is broken, leaves an answer without figures.
 */
export function throughEncoding(meter: Meter, encoding: string | undefined): WireMeter {
  const decoder = decoderOf(encoding);
  if (decoder === 'none') {
    const push = (bytes: Buffer) => {
      meter.push(bytes);
      return null;
    };
    return { push, end: async () => meter.end() };
  }
  if (decoder === 'unknown') return { push: () => null, end: async () => null };
  const ended = new Promise<void>((resolve) => {
    decoder.once('end', resolve);
    decoder.once('error', () => resolve());
    decoder.once('close', resolve);
  });
  decoder.on('data', (bytes: Buffer) => meter.push(bytes));
  return {
    push: (bytes) =>
      decoder.destroyed || decoder.write(bytes) ? null : Promise.race([ended, drained(decoder)]),
    end: async () => {
      if (!decoder.destroyed) decoder.end();
      await ended;
      return meter.end();
    },
  };
}

async function drained(decoder: Transform): Promise<void> {
  await new Promise((resolve) => decoder.once('drain', resolve));
}

function decoderOf(encoding: string | undefined): Transform | 'none' | 'unknown' {
  switch (encoding?.trim().toLowerCase() ?? 'identity') {
    case 'identity':
    case '':
      return 'none';
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return 'unknown';
  }
}
