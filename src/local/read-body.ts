import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';

/** The whole body of a request, unpacked when it came gzipped. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}
