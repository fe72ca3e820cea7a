import type { IncomingMessage, ServerResponse } from 'node:http';
import { API_BYTES, readBody } from './read-body.ts';
import { problem } from './reply.ts';
import { respond } from './respond.ts';
import { type RestServer, serveRest } from './rest.ts';
import type { WireAnswer } from './wire.ts';

/** The address that a request line names, or null for one that is none. */
export function addressOf(target: string): URL | null {
  // By hand: `//` at the start would be read as a host.
  const text = target.startsWith('/') ? `http://localhost${target}` : target;
  return URL.canParse(text) ? new URL(text) : null;
}

/** Refuses a request that nothing further in may see. */
export function refuseRequest(response: ServerResponse, status: number, message: string): void {
  const answer = respond({ method: 'POST', headers: {} }, problem(status, message), { connection: 'close' });
  send(response, answer);
}

/** Serves one REST request that came over a socket. Rejects when the client went away in the middle. */
export async function serveHttp(
  server: RestServer,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const read = await readBody(request, API_BYTES);
  if (read.kind === 'refused') return refuseRequest(response, read.status, read.message);
  const { body } = read;
  const headers = request.headers as Readonly<Record<string, string | undefined>>;
  send(response, await serveRest(server, { method: request.method ?? 'GET', url, headers, body }));
}

/** Sends an answer, or tears the connection. */
export function send(response: ServerResponse, answer: WireAnswer): void {
  if (answer.kind === 'reset') {
    response.req.socket.resetAndDestroy();
    return;
  }
  const { status, headers, body } = answer;
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  response.writeHead(status, { ...headers, ...length }).end(body);
}
