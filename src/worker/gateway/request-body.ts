import type { IncomingMessage } from 'node:http';
import { z } from 'zod';

/** More than the API takes. */
const mostBytes = 40 * 1024 * 1024;

/**
 * Reads a request whole, so that it can be sent again with another key, and never in pieces that somebody else framed. Null
 * when it is over 40 MiB; throws when it broke off.
 */
export async function readBody(incoming: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > mostBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const bodySchema = z.looseObject({
  // Behind a cloud it becomes a part of a path.
  model: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:@/[\]-]{0,300}$/),
  stream: z.boolean().optional(),
  max_tokens: z.number().int().min(0).max(10_000_000).optional(),
});
/** A request to the Messages API, as far as the gateway needs to know it. */
export type MessagesBody = z.infer<typeof bodySchema>;

/** Null when the bytes are no request of the Messages API. */
export function parseBody(body: Buffer): MessagesBody | null {
  try {
    const parsed = bodySchema.safeParse(JSON.parse(body.toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
