import { inProcessResponse } from './in-process-response.ts';
import { API_BYTES, type BodyRead, unpack } from './read-body.ts';
import { problem } from './reply.ts';
import { respond } from './respond.ts';
import { type RestServer, serveRest } from './rest.ts';
import type { WireAnswer, WireRequest } from './wire.ts';

const NO_BYTES = Buffer.alloc(0);
const NO_REQUEST = { method: 'POST', headers: {} };

/**
 * A `fetch` that reaches this GitHub's API without a socket, by the same rules: for simulations.
 * Rejects as the platform's own does: a `TypeError` for a torn connection, the signal's reason once it is aborted.
 */
export function inProcessFetch(server: RestServer): typeof fetch {
  return async (input, init) => {
    const request = await toWire(input, init);
    if (request.kind === 'refused')
      return inProcessResponse(
        respond(NO_REQUEST, problem(request.status, request.message), {}),
        String(input),
        false,
      );
    const signal = init?.signal ?? (input instanceof Request ? input.signal : null);
    signal?.throwIfAborted();
    const mode = init?.redirect ?? (input instanceof Request ? input.redirect : 'follow');
    const work = exchange(server, request, mode);
    const { answer, url, redirected } = await (signal ? untilAborted(work, signal) : work);
    return inProcessResponse(answer, url.href, redirected);
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
      body: body ? Buffer.from(body) : NO_BYTES,
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

function lowerCased(headers: object): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) all[name.toLowerCase()] = String(value);
  return all;
}

type Answered = Extract<WireAnswer, { kind: 'answer' }>;

const REDIRECTS = new Set([301, 302, 307, 308]);
const MAX_REDIRECTS = 20;

/** Sends a request, and goes where its answers lead as the platform's `fetch` does; elsewhere than here it cannot go. */
async function exchange(
  server: RestServer,
  request: WireRequest,
  mode: NonNullable<RequestInit['redirect']>,
): Promise<{ readonly answer: Answered; readonly url: URL; readonly redirected: boolean }> {
  let asked = request;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const answer = await serveRest(server, asked);
    if (answer.kind === 'reset') throw connectionReset();
    const { location } = answer.headers;
    if (mode === 'manual' || !REDIRECTS.has(answer.status) || location === undefined)
      return { answer, url: asked.url, redirected: redirects > 0 };
    const url = new URL(location, asked.url);
    if (mode === 'error' || url.origin !== asked.url.origin) break;
    const becomesGet = answer.status < 307 && asked.method === 'POST';
    asked = becomesGet ? { ...asked, url, method: 'GET', body: NO_BYTES } : { ...asked, url };
  }
  throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
}

const connectionReset = (): TypeError =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  });

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
