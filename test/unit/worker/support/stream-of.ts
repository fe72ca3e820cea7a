import { StreamReader } from '../../../../src/worker/claude/stream.ts';
import type { StreamSummary } from '../../../../src/worker/claude/stream-summary.ts';

/** What is known after a stream of these events, or of these bytes, has ended. */
export function summaryOf(...stream: readonly (object | Buffer)[]): StreamSummary {
  const reader = new StreamReader();
  for (const piece of stream) reader.push(Buffer.isBuffer(piece) ? piece : lineOf(piece));
  reader.end();
  return reader.summary;
}

export function lineOf(event: object): Buffer {
  return Buffer.from(`${JSON.stringify(event)}\n`);
}
