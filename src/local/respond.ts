import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from './reply.ts';

/** Sends a reply as GitHub does: JSON, weak ETag, 304 when the caller has it. Answers the status that went out. */
export function respond(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  headers: Readonly<Record<string, string>>,
): number {
  const isJson = reply.body !== undefined && typeof reply.body !== 'string' && !Buffer.isBuffer(reply.body);
  const payload = isJson ? JSON.stringify(reply.body) : (reply.body as string | Buffer | undefined);
  const all: Record<string, string> = {
    ...headers,
    ...(isJson ? { 'content-type': 'application/json; charset=utf-8' } : {}),
    ...reply.headers,
  };
  if (request.method === 'GET' && reply.status === 200 && payload !== undefined) {
    const etag = `W/"${createHash('sha256').update(payload).digest('hex')}"`;
    all.etag = etag;
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, all).end();
      return 304;
    }
  }
  if (payload !== undefined) all['content-length'] = String(Buffer.byteLength(payload));
  response.writeHead(reply.status, all).end(payload);
  return reply.status;
}
