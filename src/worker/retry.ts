/** Waits before the retries of a run that failed for a passing reason. */
const waitsMs = [1000, 2000, 4000] as const;

/**
 * How long to wait before the retry of that number (from 0), or null when there is none left: 1, 2, 4 s plus up to a fifth
 * of jitter; a server's own wish is followed when it is longer.
 */
export function retryDelayMs(retry: number, jitter: number, retryAfterMs: number | null): number | null {
  const wait = waitsMs[retry];
  if (wait === undefined) return null;
  return Math.max(Math.round(wait * (1 + 0.2 * jitter)), retryAfterMs ?? 0);
}
