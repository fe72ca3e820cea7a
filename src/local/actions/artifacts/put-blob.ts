import type { IncomingMessage, ServerResponse } from 'node:http';
import { BULK_BYTES, readBody } from '../../read-body.ts';
import { blobError, type RpcAnswer } from './rpc.ts';

/** What an upload writes to. */
export interface BlobTarget {
  readonly id: number;
  /** Blocks that were put but not yet listed. */
  readonly blocks: Map<string, Buffer>;
  /** Sets the content. False when it is complete already, or too large. */
  readonly write: (data: Buffer) => boolean;
}

function listed(body: Buffer, blocks: ReadonlyMap<string, Buffer>): (Buffer | undefined)[] {
  const ids = [...body.toString('utf8').matchAll(/<(?:Latest|Uncommitted|Committed)>([^<]*)</g)];
  return ids.map((match) => blocks.get(match[1]!));
}

/** Put Block, Put Block List and Put Blob of the block-blob protocol. Answers itself, or gives back the error. */
export async function putBlob(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  target: BlobTarget,
): Promise<RpcAnswer | null> {
  const read = await readBody(request, BULK_BYTES);
  if (read.kind === 'refused')
    return read.status === 413 ? blobError(413, 'RequestBodyTooLarge') : blobError(400, 'InvalidInput');
  const { body } = read;
  const part = url.searchParams.get('comp');
  if (request.method !== 'PUT') return blobError(405, 'UnsupportedHttpVerb');
  if (part === 'block') target.blocks.set(url.searchParams.get('blockid') ?? '', body);
  else {
    const blocks = part === 'blocklist' ? listed(body, target.blocks) : [body];
    if (blocks.includes(undefined)) return blobError(400, 'InvalidBlockList');
    if (!target.write(Buffer.concat(blocks as Buffer[]))) return blobError(413, 'RequestBodyTooLarge');
  }
  response
    .writeHead(201, {
      etag: `"${target.id}-${body.length}"`,
      'x-ms-request-id': String(target.id),
      'last-modified': new Date(0).toUTCString(),
    })
    .end();
  return null;
}
