import { hash } from 'node:crypto';
import type { Reply } from './reply.ts';
import type { WireAnswer, WireRequest } from './wire.ts';

/** A reply as GitHub sends it: JSON, weak ETag, 304 when the caller has it. */
export function respond(
  request: Pick<WireRequest, 'method' | 'headers'>,
  reply: Reply,
  headers: Readonly<Record<string, string>>,
): Extract<WireAnswer, { kind: 'answer' }> {
  const isJson = reply.body !== undefined && typeof reply.body !== 'string' && !Buffer.isBuffer(reply.body);
  const body = isJson ? JSON.stringify(reply.body) : (reply.body as string | Buffer | undefined);
  const all: Record<string, string> = {
    ...headers,
    ...(isJson ? { 'content-type': 'application/json; charset=utf-8' } : {}),
    ...reply.headers,
  };
  if (request.method === 'GET' && reply.status === 200 && body !== undefined) {
    all.vary = 'Accept, Authorization, Cookie';
    all.etag = `W/"${hash('sha1', `${request.headers.authorization ?? ''}\0${body.toString('latin1')}`)}"`;
    if (matches(request.headers['if-none-match'], all.etag))
      return { kind: 'answer', status: 304, headers: all, body: undefined };
  }
  return { kind: 'answer', status: reply.status, headers: all, body };
}

/** `If-None-Match` is a list of tags, compared weakly, or a star. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((tag) => opaque(tag) === opaque(etag));
}
