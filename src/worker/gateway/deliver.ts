import type { IncomingMessage, ServerResponse } from 'node:http';
import { headersToPassBack } from './admission.ts';
import { throughEncoding } from './decoded.ts';
import { createJsonMeter, createStreamMeter, type MeteredAnswer } from './meter.ts';
import { type PumpEnd, pump } from './pump.ts';
import type { Upstream } from './upstream.ts';

export interface Delivered {
  readonly end: PumpEnd;
  /** Null when the answer told no figures. */
  readonly metered: MeteredAnswer | null;
}

/**
 * Carries a good answer over to the child, as the Messages API would give it, and meters it by the way. The child's answer is not
 * ended here: who has the whole of it should also find it counted.
 */
export async function deliver(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  upstream: Upstream,
  silenceMs: { readonly stream: number; readonly whole: number },
  see: (bytes: Buffer) => void,
): Promise<Delivered> {
  const type = answer.headers['content-type'] ?? '';
  const turned = upstream.translateStream(type);
  const streaming = turned !== null || type.includes('text/event-stream');
  const headers = headersToPassBack(answer);
  if (turned !== null) {
    delete headers['content-length'];
    headers['content-type'] = 'text/event-stream; charset=utf-8';
    // A pipe does not pass faults on: without this nobody would hear of a break.
    answer.on('error', (fault) => turned.destroy(fault));
  }
  outgoing.writeHead(answer.statusCode ?? 502, headers);
  outgoing.flushHeaders();
  const meter = throughEncoding(
    streaming ? createStreamMeter() : createJsonMeter(),
    turned === null ? answer.headers['content-encoding'] : undefined,
  );
  const source = turned === null ? answer : answer.pipe(turned);
  const end = await pump(source, outgoing, streaming ? silenceMs.stream : silenceMs.whole, (bytes) => {
    see(bytes);
    return meter.push(bytes);
  });
  if (turned !== null) answer.destroy();
  return { end, metered: await meter.end() };
}
