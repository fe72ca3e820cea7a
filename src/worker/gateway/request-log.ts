import { createWriteStream } from 'node:fs';
import type { MicroUsd } from '../../domain/ids.ts';

/** One request, without a word of it: no key, no header, no body. Bytes as they went over the wire. */
export interface RequestLine {
  /** UTC, ISO 8601. */
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly model: string | null;
  /** Null when no answer came. */
  readonly status: number | null;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly firstByteMs: number | null;
  readonly totalMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly microUsd: MicroUsd;
  readonly estimated: boolean;
  /** How long the request was held back here before it was sent. */
  readonly waitedMs: number;
  /** Null when it was sent with none, or not at all. */
  readonly slot: number | null;
  /** The upstream's own id of the request. */
  readonly requestId: string | null;
  /** How it ended, in a word. */
  readonly end: 'answered' | 'refused' | 'stalled' | 'broke-off' | 'child-left' | 'unreachable';
}

export interface RequestLog {
  write(line: RequestLine): void;
  /** Resolves when all is written, or when it turned out that it cannot be. */
  close(): Promise<void>;
}

const mostBytes = 8 * 1024 * 1024;

/**
 * One JSON document a line, up to 8 MiB, then one last line that says so. A log that cannot be written is no reason to end
 * a run.
 */
export function openRequestLog(path: string, maxBytes = mostBytes): RequestLog {
  const stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
  const closed = new Promise<void>((resolve) => stream.once('close', resolve));
  let left = maxBytes;
  stream.on('error', () => {
    left = 0;
  });
  return {
    write: (line) => {
      if (left <= 0) return;
      const text = `${JSON.stringify(line)}\n`;
      left -= Buffer.byteLength(text);
      stream.write(left > 0 ? text : `${JSON.stringify({ time: line.time, end: 'log-full' })}\n`);
    },
    close: async () => {
      stream.end();
      await closed;
    },
  };
}
