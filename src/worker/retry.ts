/** Waits before the retries of a run that failed for a passing reason. */
const waitsMs = [1000, 2000, 4000] as const;

/** What is waited after a 429 that names no time. */
const unnamedLimitMs = 10_000;

/**
 * How long to wait before the retry of that number (from 0), or null when there is none left: 1, 2, 4 s plus up to a fifth
 * of jitter; a server's own wish is followed when it is longer.
 */
export function retryDelayMs(retry: number, jitter: number, retryAfterMs: number | null): number | null {
  const wait = waitsMs[retry];
  if (wait === undefined) return null;
  return Math.max(Math.round(wait * (1 + 0.2 * jitter)), retryAfterMs ?? 0);
}

/** The last answer that was a refusal, as the gateway saw it. */
export interface Refusal {
  readonly status: number;
  /** As the server named it; null when it did not. */
  readonly retryAfterMs: number | null;
  /** Milliseconds of the same clock as `now` below. */
  readonly at: number;
}

/** What is left of the server's wish: of its `retry-after`, or of 10 s after a 429 without one. Null when there is no wish. */
export function serverWishMs(refusal: Refusal | null, now: number): number | null {
  if (refusal === null) return null;
  const wish = refusal.retryAfterMs ?? (refusal.status === 429 ? unnamedLimitMs : null);
  if (wish === null) return null;
  const left = refusal.at + wish - now;
  return left > 0 ? left : null;
}

/**
 * How long to pause for a usage limit that ends at `resetsAt`: null when no time is told, when it is past already (then
 * nobody knows), or when it is not before the deadline. A pause is no retry.
 */
export function usagePauseMs(
  resetsAt: string | null | undefined,
  now: number,
  deadline: number,
  jitter: number,
): number | null {
  const end = resetsAt === null || resetsAt === undefined ? Number.NaN : Date.parse(resetsAt);
  if (!(end > now)) return null;
  // A second and some more: limits are told in whole seconds, and all who wait would come at once.
  const pause = end - now + 1000 + Math.round(4000 * jitter);
  return now + pause < deadline ? pause : null;
}
