import { createWriteStream } from 'node:fs';
import { type ProgressEvent, progressLine } from './claude/progress-event.ts';
import type { GatewayEvent } from './gateway/gateway-event.ts';

/** More than any honest run tells; a stream of nothing but tool calls would fill the disk. */
const mostBytes = 16 * 1024 * 1024;

export interface ProgressFile {
  write(event: ProgressEvent | GatewayEvent): void;
  /** Resolves when all is written, or when it turned out that it cannot be. */
  close(): Promise<void>;
}

/**
 * Writes a run's progress to a file, one JSON document a line. Progress is no reason to end a run: what cannot be written, or
 * is over 16 MiB, is left out.
 */
export function openProgressFile(path: string, now: () => number): ProgressFile {
  const stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
  const closed = new Promise<void>((resolve) => stream.once('close', resolve));
  let left = mostBytes;
  // Without a listener an error would end the process; a stream that met one closes itself.
  stream.on('error', () => {
    left = 0;
  });
  return {
    write: (event) => {
      const line = progressLine(event, now());
      left -= Buffer.byteLength(line);
      if (left > 0) stream.write(line);
    },
    close: async () => {
      stream.end();
      await closed;
    },
  };
}
