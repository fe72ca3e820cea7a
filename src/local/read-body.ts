import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const MIB = 1024 * 1024;
/** Bytes of a request to the API, unpacked. */
export const API_BYTES = 64 * MIB;
/** Bytes of a push, or of a piece of an upload, unpacked. */
export const BULK_BYTES = 1024 * MIB;

export type BodyRead =
  | { readonly kind: 'body'; readonly body: Buffer }
  | { readonly kind: 'refused'; readonly status: 400 | 413; readonly message: string };

const TOO_LARGE: BodyRead = { kind: 'refused', status: 413, message: 'Payload Too Large' };
const UNREADABLE: BodyRead = {
  kind: 'refused',
  status: 400,
  message: 'The body is not what content-encoding says',
};

/** The whole body of a request, unpacked when it came gzipped. Rejects when the client goes away in the middle. */
export async function readBody(request: IncomingMessage, limit: number): Promise<BodyRead> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Left open when it is too large: the refusal still has to go out.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size > limit) return TOO_LARGE;
    chunks.push(chunk as Buffer);
  }
  return unpack(Buffer.concat(chunks), request.headers['content-encoding'], limit);
}

/** Takes gzip off. What unpacks to more than `limit` is not unpacked further. */
export async function unpack(raw: Buffer, encoding: string | undefined, limit: number): Promise<BodyRead> {
  if (encoding !== 'gzip') return raw.length > limit ? TOO_LARGE : { kind: 'body', body: raw };
  try {
    return { kind: 'body', body: await promisify(gunzip)(raw, { maxOutputLength: limit }) };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? TOO_LARGE : UNREADABLE;
  }
}
