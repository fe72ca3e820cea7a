import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { z } from 'zod';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** As the AWS tools print them for a `credential_process`. */
const processSchema = z
  .object({
    AccessKeyId: z.string().min(1),
    SecretAccessKey: z.string().min(1),
    SessionToken: z.string().min(1).optional(),
  })
  .transform(({ AccessKeyId, SecretAccessKey, SessionToken }) => ({
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    ...(SessionToken === undefined ? {} : { sessionToken: SessionToken }),
  }));

/** `id:secret`, `id:secret:session`, or the JSON of a `credential_process`; null when it is neither. */
export function parseAwsCredentials(text: string): AwsCredentials | null {
  if (text.trimStart().startsWith('{')) {
    try {
      return processSchema.parse(JSON.parse(text));
    } catch {
      return null;
    }
  }
  const parts = /^([A-Za-z0-9_]{16,128}):([^:\s]{16,}?)(?::(\S+))?$/.exec(text.trim());
  if (parts?.[1] === undefined || parts[2] === undefined) return null;
  return {
    accessKeyId: parts[1],
    secretAccessKey: parts[2],
    ...(parts[3] === undefined ? {} : { sessionToken: parts[3] }),
  };
}

/** The digest and keyed digest that the signer asks for. */
class Sha256 {
  readonly #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error('never asked for by the signer');
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data, 'utf8');
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

export interface SigningPlace {
  readonly region: string;
  readonly service: string;
}

/** Headers that sign a POST: AWS Signature Version 4, with the body's digest. The path is taken as it goes over the wire. */
export async function signedHeaders(
  request: { readonly url: URL; readonly path: string; readonly body: Buffer; readonly contentType: string },
  credentials: AwsCredentials,
  { region, service }: SigningPlace,
): Promise<Record<string, string>> {
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256, applyChecksum: true });
  const signed = await signer.sign({
    method: 'POST',
    protocol: request.url.protocol,
    hostname: request.url.hostname,
    path: request.path,
    query: {},
    headers: { host: request.url.host, 'content-type': request.contentType },
    body: request.body,
  });
  return signed.headers;
}
