import { type Principal, principalName } from './principal.ts';
import type { Store } from './store.ts';

/** Primary limit of an hour: 5,000 for apps and people, 1,000 for workflow tokens, 60 for anonymous callers. */
export function rateLimitOf(store: Store, principal: Principal) {
  const limit = principal.kind === 'anonymous' ? 60 : principal.kind === 'job' ? 1_000 : 5_000;
  const used = Math.min(limit, store.requests.usedInHour(principalName(principal), store.now()));
  const hour = 3_600_000;
  const reset = Math.floor(Math.floor(store.now() / hour + 1) * (hour / 1000));
  return { limit, used, remaining: limit - used, reset };
}

/** The `X-RateLimit-*` headers of every answer. The limit is told, not enforced. */
export function rateLimitHeaders(store: Store, principal: Principal): Record<string, string> {
  const rate = rateLimitOf(store, principal);
  return {
    'x-ratelimit-limit': String(rate.limit),
    'x-ratelimit-used': String(rate.used),
    'x-ratelimit-remaining': String(rate.remaining),
    'x-ratelimit-reset': String(rate.reset),
    'x-ratelimit-resource': 'core',
  };
}
