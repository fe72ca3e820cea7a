import { Transform } from 'node:stream';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import { z } from 'zod';

/** Larger than any event of a model; a length that says more is no event stream. */
const mostFrameBytes = 32 * 1024 * 1024;

const chunkSchema = z.object({ bytes: z.string() });
const eventSchema = z.looseObject({ type: z.string().regex(/^[a-z_]{1,60}$/) });

/**
 * Turns the event stream of Bedrock into the server-sent events of the Messages API: each chunk holds one of its events; an
 * exception becomes its `error` event. Fails at a frame with a wrong checksum, and at an end within a frame.
 */
export function eventStreamToSse(): Transform {
  const codec = new EventStreamCodec(
    (bytes) => Buffer.from(bytes).toString('utf8'),
    (text) => Buffer.from(text, 'utf8'),
  );
  let rest: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      try {
        rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
        for (let length = frameLength(rest); length !== null; length = frameLength(rest)) {
          const { headers, body } = codec.decode(rest.subarray(0, length));
          rest = rest.subarray(length);
          this.push(sseOf(nameOf(headers), body));
        }
        done();
      } catch (cause) {
        done(cause instanceof Error ? cause : new Error('unreadable event stream'));
      }
    },
    flush(done) {
      done(rest.length === 0 ? null : new Error('the event stream ended within a frame'));
    },
  });
}

/** Length of the frame at the start, once all of it is there. */
function frameLength(bytes: Buffer): number | null {
  if (bytes.length < 4) return null;
  const length = bytes.readUInt32BE(0);
  if (length < 16 || length > mostFrameBytes) throw new Error('this is no event stream');
  return bytes.length < length ? null : length;
}

interface Named {
  readonly kind: string;
  readonly name: string;
}

function nameOf(headers: Readonly<Record<string, { readonly value: unknown }>>): Named {
  const text = (name: string) => String(headers[name]?.value ?? '');
  const kind = text(':message-type');
  const name = kind === 'event' ? text(':event-type') : text(':exception-type') || text(':error-code');
  return { kind, name };
}

function sseOf({ kind, name }: Named, body: Uint8Array): string {
  const text = Buffer.from(body).toString('utf8');
  if (kind !== 'event') return errorEvent(errorTypes.get(name) ?? 'api_error', name);
  // Other kinds of events are none of the Messages API's.
  if (name !== 'chunk') return '';
  const event = Buffer.from(chunkSchema.parse(JSON.parse(text)).bytes, 'base64').toString('utf8');
  const { type } = eventSchema.parse(JSON.parse(event));
  // A line end would begin another line of the stream; within JSON it is but white space.
  return `event: ${type}\ndata: ${event.replace(/[\r\n]/g, ' ')}\n\n`;
}

const errorTypes: ReadonlyMap<string, string> = new Map([
  ['throttlingException', 'rate_limit_error'],
  ['serviceUnavailableException', 'overloaded_error'],
  ['validationException', 'invalid_request_error'],
  ['modelTimeoutException', 'timeout_error'],
]);

function errorEvent(type: string, name: string): string {
  const message = `The model's service broke the answer off: ${name.replace(/[^A-Za-z]/g, '').slice(0, 60)}`;
  return `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type, message } })}\n\n`;
}
