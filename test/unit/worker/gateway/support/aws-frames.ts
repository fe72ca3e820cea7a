import { crc32 } from 'node:zlib';

/**
 * One frame of an AWS event stream, put together by hand from its description: lengths, checksum of these, headers of text,
 * payload, checksum of all.
 */
export function frame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const text = Buffer.from(value);
      return Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7, text.length >> 8, text.length & 255]),
        text,
      ]);
    }),
  );
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(12 + head.length + body.length + 4, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const end = Buffer.alloc(4);
  const all = Buffer.concat([prelude, head, body]);
  end.writeUInt32BE(crc32(all), 0);
  return Buffer.concat([all, end]);
}

/** A piece of a model's answer, as Bedrock wraps an event of the Messages API. */
export const chunk = (event: object) =>
  frame(
    { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify({ bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abcd' }),
  );

export const exception = (name: string) =>
  frame({ ':exception-type': name, ':message-type': 'exception' }, JSON.stringify({ message: 'no' }));
