import type { IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { pump } from './pump.ts';

const mostBytes = 64 * 1024;

/** Reads an error's body, 64 KiB at most; what broke off or fell silent is as short as it is. */
export async function readError(answer: IncomingMessage, silenceMs: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const sink = new Writable({
    write(part: Buffer, _encoding, done) {
      if (bytes < mostBytes) parts.push(part.subarray(0, mostBytes - bytes));
      bytes += part.length;
      if (bytes >= mostBytes) answer.destroy();
      done();
    },
  });
  await pump(answer, sink, silenceMs, () => null);
  return Buffer.concat(parts);
}
