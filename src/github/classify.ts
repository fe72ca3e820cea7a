import { z } from 'zod';

export type RefusalKind = 'not-found' | 'forbidden' | 'conflict' | 'unprocessable' | 'unauthorized';

/** Why a call to the API did not succeed. `message` is one line, at most 500 characters, and is not to be trusted. */
export type Failure =
  | { readonly kind: RefusalKind; readonly status: number; readonly message: string }
  | {
      readonly kind: 'rate-limited';
      readonly status: number;
      readonly message: string;
      /** Milliseconds from now, and as an instant (epoch milliseconds). */
      readonly retryAfterMs: number;
      readonly retryAtMs: number;
    }
  /** No answer, or a 5xx: a write may have had its effect. Read before repeating it. */
  | { readonly kind: 'unclear'; readonly status: number | null; readonly message: string };

/** GitHub's advice where a secondary limit comes without a time: at least a minute. */
const unknownLimitWaitMs = 60_000;

const thrownSchema = z.object({
  status: z.number().int().optional(),
  message: z.string().catch(''),
  response: z.object({ headers: z.record(z.string(), z.unknown()).catch({}) }).optional(),
});

/**
 * Sorts what a request threw. `now`: epoch milliseconds. Anything that carries no answer of the server (network fault,
 * timeout, reset) is `unclear` with status null.
 */
export function classify(error: unknown, now: number): Failure {
  const parsed = thrownSchema.safeParse(error);
  const thrown = parsed.success ? parsed.data : { message: String(error), response: undefined };
  const message = oneLine(thrown.message);
  const status = thrown.response === undefined ? null : (thrown.status ?? null);
  if (status === null || status >= 500) return { kind: 'unclear', status, message };
  const headers = thrown.response?.headers ?? {};
  if (isRateLimit(status, headers, message)) return rateLimited(status, message, headers, now);
  return { kind: refusalKind(status), status, message };
}

/** A rate limit told by the body (GraphQL) or by headers. */
export function rateLimited(
  status: number,
  message: string,
  headers: Readonly<Record<string, unknown>>,
  now: number,
): Failure {
  const retryAfterMs = waitMs(headers, now);
  return {
    kind: 'rate-limited',
    status,
    message: oneLine(message),
    retryAfterMs,
    retryAtMs: now + retryAfterMs,
  };
}

/** Text of others on one line, without control characters, at most 500 characters. */
export function oneLine(text: string): string {
  return text
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .trim()
    .slice(0, 500);
}

function isRateLimit(status: number, headers: Readonly<Record<string, unknown>>, message: string): boolean {
  if (status === 429) return true;
  if (status === 403)
    return (
      headers['retry-after'] !== undefined ||
      String(headers['x-ratelimit-remaining']) === '0' ||
      /rate limit|abuse detection/i.test(message)
    );
  return status === 422 && /submitted too quickly/i.test(message);
}

/** GitHub counts by the hour; what would make us wait for longer is a clock or a proxy that is wrong. */
const longestWaitMs = 61 * 60_000;

function waitMs(headers: Readonly<Record<string, unknown>>, now: number): number {
  return Math.min(toldWaitMs(headers, now), longestWaitMs);
}

function toldWaitMs(headers: Readonly<Record<string, unknown>>, now: number): number {
  const after = Number(headers['retry-after'] ?? Number.NaN);
  if (Number.isFinite(after) && after >= 0) return Math.ceil(after * 1000);
  const reset = Number(headers['x-ratelimit-reset'] ?? Number.NaN);
  if (String(headers['x-ratelimit-remaining']) === '0' && Number.isFinite(reset))
    return Math.max(0, reset * 1000 - serverNow(headers, now));
  return unknownLimitWaitMs;
}

/** The reset is an instant of GitHub's clock, so it is held against that clock where the answer tells it. */
function serverNow(headers: Readonly<Record<string, unknown>>, now: number): number {
  const told = Date.parse(String(headers.date ?? ''));
  return Number.isFinite(told) ? told : now;
}

function refusalKind(status: number): RefusalKind {
  if (status === 401) return 'unauthorized';
  if (status === 403 || status === 451) return 'forbidden';
  if (status === 404 || status === 410) return 'not-found';
  if (status === 405 || status === 409 || status === 412) return 'conflict';
  return 'unprocessable';
}
