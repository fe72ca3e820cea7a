import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export type ModelCall = 'messages' | 'count-tokens';

/** An error in the words of the Messages API. */
export interface ApiError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly retryAfterMs?: number;
}

export type Admission =
  | { readonly kind: 'call'; readonly call: ModelCall; readonly beta: boolean }
  | { readonly kind: 'alive' }
  | { readonly kind: 'refused'; readonly error: ApiError };

/** The calls that the agent needs; the real key opens nothing else. Anything written another way is another path. */
const calls: ReadonlyMap<string, ModelCall> = new Map<string, ModelCall>([
  ['/v1/messages', 'messages'],
  ['/v1/messages/count_tokens', 'count-tokens'],
]);

/**
 * What a request may do, told from its first line and its key. The target is compared as it was sent: nothing is decoded,
 * joined or made shorter first, so there is no second way to spell a path.
 */
export function admit(incoming: IncomingMessage, childKey: string): Admission {
  const target = incoming.url ?? '';
  if (target === '/' && (incoming.method === 'HEAD' || incoming.method === 'GET')) return { kind: 'alive' };
  if (!showsKey(incoming, childKey))
    return refused(403, 'permission_error', 'This gateway serves one agent only.');
  const [path = '', query = ''] = target.split('?', 2);
  const call = incoming.method === 'POST' ? calls.get(path) : undefined;
  if (call === undefined) return refused(404, 'not_found_error', 'This gateway passes on messages only.');
  return { kind: 'call', call, beta: query.split('&').includes('beta=true') };
}

function refused(status: number, type: string, message: string): Admission {
  return { kind: 'refused', error: { status, type, message } };
}

function showsKey({ headers }: IncomingMessage, key: string): boolean {
  const shown = [headers['x-api-key'], headers.authorization?.replace(/^Bearer /, '')];
  return shown.some((one) => typeof one === 'string' && timingSafeEqual(digest(one), digest(key)));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Request headers that mean something to the API; all others end here: none can speak to what lies behind. */
const passedOn =
  /^(?:content-type|accept|user-agent|anthropic-(?:version|beta|dangerous-direct-browser-access)|x-app|x-client-request-id|x-stainless-[a-z-]+|x-claude-code-[a-z-]+)$/;

export function headersToPass(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (typeof value === 'string' && passedOn.test(name)) headers[name] = value;
  }
  return headers;
}

/** Answer headers that the agent acts on; not those that name an organisation, set a cookie or lead elsewhere. */
const passedBack =
  /^(?:content-(?:type|length|encoding)|date|request-id|retry-after(?:-ms)?|x-should-retry|anthropic-ratelimit-[a-z0-9-]+)$/;

export function headersToPassBack(answer: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    if (typeof value === 'string' && passedBack.test(name)) headers[name] = value;
  }
  return headers;
}
