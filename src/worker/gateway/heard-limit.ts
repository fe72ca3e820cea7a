import type { IncomingHttpHeaders } from 'node:http';
import { isUsageLimit, usageLimitEnd } from '../claude/limit-texts.ts';
import type { LimitWord } from './gateway-event.ts';

/** What an answer says about a limit: nothing may be sent for so long. */
export interface HeardLimit {
  readonly why: LimitWord;
  readonly forMs: number;
  /** Whether the server named the time, or it is our guess. */
  readonly named: boolean;
}

const unnamedMs = { 'rate-limit': 10_000, overloaded: 3_000, 'usage-limit': 3_600_000 } as const;
const longestMs = { 'rate-limit': 3_600_000, overloaded: 600_000, 'usage-limit': 35 * 86_400_000 } as const;
/** The buckets of the API that are told apart; each has `-remaining` and `-reset`. */
const buckets = ['requests', 'tokens', 'input-tokens', 'output-tokens'] as const;
/** A plain rate limit is over within minutes; what is told to last longer than this is an allowance. */
const longestRateLimitMs = 15 * 60_000;

/**
 * Reads the limit out of an answer's status, headers and (for an error) text: `retry-after` in seconds or as a date, an
 * allowance's end, or a bucket that the answer has emptied. Null when the next request may follow.
 */
export function heardLimit(
  status: number,
  headers: IncomingHttpHeaders,
  errorText: string,
  now: number,
): HeardLimit | null {
  if (status >= 400 && status < 500 && isUsageLimit(errorText)) {
    const end = usageLimitEnd(errorText);
    const told =
      end === null ? (retryAfterMs(headers, now) ?? unifiedMs(headers, now)) : Date.parse(end) - now;
    return limit('usage-limit', told);
  }
  if (status === 429) {
    const rejected = one(headers, 'anthropic-ratelimit-unified-status') === 'rejected';
    const told = retryAfterMs(headers, now) ?? (rejected ? unifiedMs(headers, now) : null);
    return limit(rejected && (told ?? 0) > longestRateLimitMs ? 'usage-limit' : 'rate-limit', told);
  }
  if (status === 529 || status === 503) return limit('overloaded', retryAfterMs(headers, now));
  if (status >= 400) return null;
  const empty = buckets.flatMap((bucket) => emptyMs(headers, bucket, now));
  return empty.length === 0 ? null : limit('rate-limit', Math.max(...empty));
}

function limit(why: LimitWord, toldMs: number | null): HeardLimit {
  const forMs = Math.min(Math.max(toldMs ?? unnamedMs[why], 0), longestMs[why]);
  return { why, forMs, named: toldMs !== null };
}

/** Milliseconds; null when it is not there or says nothing. */
export function retryAfterMs(headers: IncomingHttpHeaders, now: number): number | null {
  const exact = Number(one(headers, 'retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const text = one(headers, 'retry-after');
  if (text === null || text.trim() === '') return null;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : null;
  const date = Date.parse(text);
  return Number.isFinite(date) ? Math.max(0, date - now) : null;
}

function emptyMs(headers: IncomingHttpHeaders, bucket: string, now: number): number[] {
  if (one(headers, `anthropic-ratelimit-${bucket}-remaining`) !== '0') return [];
  const reset = Date.parse(one(headers, `anthropic-ratelimit-${bucket}-reset`) ?? '');
  // An empty bucket fills within a minute; what is said beyond that is taken for a clock that is off.
  return Number.isFinite(reset) && reset > now ? [Math.min(reset - now, 60_000)] : [];
}

function unifiedMs(headers: IncomingHttpHeaders, now: number): number | null {
  const seconds = Number(one(headers, 'anthropic-ratelimit-unified-reset') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds * 1000 > now ? seconds * 1000 - now : null;
}

function one(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}
