import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from './read-body.ts';
import { type RestServer, serveRest } from './rest.ts';
import type { WireAnswer } from './wire.ts';

/** Serves one REST request that came over a socket. Rejects when the client went away in the middle. */
export async function serveHttp(
  server: RestServer,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const body = await readBody(request);
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
