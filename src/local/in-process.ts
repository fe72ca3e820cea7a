import { API_BYTES, type BodyRead, unpack } from './read-body.ts';
import { problem } from './reply.ts';
import { respond } from './respond.ts';
import { type RestServer, serveRest } from './rest.ts';
import type { WireAnswer, WireRequest } from './wire.ts';

/** Statuses whose `Response` may hold no body. */
const BODILESS = new Set([101, 204, 205, 304]);
const NO_REQUEST = { method: 'POST', headers: {} };

/**
 * A `fetch` that reaches this GitHub's API without a socket, by the same rules: for simulations.
 * Rejects as the platform's own does: a `TypeError` for a torn connection, the signal's reason once it is aborted.
 */
export function inProcessFetch(server: RestServer): typeof fetch {
  return async (input, init) => {
    const request = await toWire(input, init);
    if (request.kind === 'refused')
      return toResponse(respond(NO_REQUEST, problem(request.status, request.message), {}), String(input));
    const signal = init?.signal ?? (input instanceof Request ? input.signal : null);
    signal?.throwIfAborted();
    const work = serveRest(server, request);
    const answer = await (signal ? untilAborted(work, signal) : work);
    if (answer.kind === 'reset') throw connectionReset();
    return toResponse(answer, request.url.href);
  };
}

type InProcessRequest =
  | (WireRequest & { readonly kind: 'wire' })
  | Extract<BodyRead, { readonly kind: 'refused' }>;

/** A call as clients make it most (an address, plain headers, a text) is read without building a `Request` for it. */
async function toWire(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<InProcessRequest> {
  const { method = 'GET', headers = {}, body = '' } = init ?? {};
  const plain = !(input instanceof Request) && !(headers instanceof Headers) && !Array.isArray(headers);
  if (plain && (body === null || typeof body === 'string'))
    return {
      kind: 'wire',
      method: method.toUpperCase(),
      url: new URL(input),
      headers: lowerCased(headers),
      body: Buffer.from(body ?? ''),
    };
  const request = new Request(input, init);
  const raw = Buffer.from(await request.arrayBuffer());
  const read = await unpack(raw, request.headers.get('content-encoding') ?? undefined, API_BYTES);
  if (read.kind === 'refused') return read;
  return {
    kind: 'wire',
    method: request.method,
    url: new URL(request.url),
    headers: Object.fromEntries(request.headers),
    body: read.body,
  };
}

const lowerCased = (headers: object): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

const connectionReset = (): TypeError =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  });

/** A response that hands out its body without a stream: reading one costs more than most calls. */
function toResponse(answer: Extract<WireAnswer, { kind: 'answer' }>, url: string): Response {
  const { status, headers } = answer;
  const body = BODILESS.has(status) ? undefined : answer.body;
  const bytes = (): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(body ?? ''));
  const text = async (): Promise<string> => body?.toString() ?? '';
  return Object.defineProperties(new Response(null, { status, headers }), {
    url: { value: url },
    body: { get: () => (body === undefined ? null : new Response(bytes()).body) },
    text: { value: text },
    json: { value: async (): Promise<unknown> => JSON.parse(await text()) },
    arrayBuffer: { value: async (): Promise<ArrayBuffer> => bytes().buffer },
  });
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
