import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface SignedRequest {
  readonly method: string;
  /** As it came over the wire, with its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const hex = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const keyed = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();

/**
 * The signature that AWS would work out for a request, written from the description of Signature Version 4 and not with the
 * library under test: what AWS does for every service but S3, where the path is encoded once more.
 */
export function expectedSignature(request: SignedRequest, secret: string): string {
  const parts = /Credential=[^/]+\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+),/.exec(
    request.headers.authorization ?? '',
  );
  if (parts === null) throw new Error('no signature');
  const [, date = '', region = '', service = '', signed = ''] = parts;
  const [path = '', query = ''] = request.path.split('?');
  const again = path
    .split('/')
    .map((segment) =>
      encodeURIComponent(segment).replace(
        /[!'()*]/g,
        (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    )
    .join('/');
  const headers = signed.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const canonical = [request.method, again, query, headers.join(''), signed, hex(request.body)].join('\n');
  const toSign = [
    'AWS4-HMAC-SHA256',
    request.headers['x-amz-date'],
    `${date}/${region}/${service}/aws4_request`,
    hex(canonical),
  ].join('\n');
  const key = ['aws4_request', service, region, date].reduceRight(
    (held, part) => keyed(held, part),
    `AWS4${secret}` as string | Buffer,
  );
  return keyed(key, toSign).toString('hex');
}

export const shownSignature = (headers: IncomingHttpHeaders) =>
  /Signature=([0-9a-f]{64})/.exec(headers.authorization ?? '')?.[1];
