import { gunzipSync } from 'node:zlib';
import { type RestServer, serveRest } from './rest.ts';

/** Statuses whose `Response` may hold no body. */
const BODILESS = new Set([101, 204, 205, 304]);

/**
 * A `fetch` that reaches this GitHub's API without a socket, by the same rules: for simulations.
 * Rejects as the platform's own does: a `TypeError` for a torn connection, the signal's reason once it is aborted.
 */
export function inProcessFetch(server: RestServer): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const raw = Buffer.from(await request.arrayBuffer());
    const headers = Object.fromEntries(request.headers);
    const body = headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
    const url = new URL(request.url);
    const work = serveRest(server, { method: request.method, url, headers, body });
    const answer = await untilAborted(work, request.signal);
    if (answer.kind === 'reset')
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      });
    const { status } = answer;
    const text = typeof answer.body === 'string' ? answer.body : new Uint8Array(answer.body ?? []);
    const content = BODILESS.has(status) || answer.body === undefined ? null : text;
    const response = new Response(content, { status, headers: answer.headers });
    Object.defineProperty(response, 'url', { value: request.url });
    return response;
  };
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
