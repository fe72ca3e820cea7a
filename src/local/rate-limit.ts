import { type Principal, principalName } from './principal.ts';
import { problem, type Reply } from './reply.ts';
import type { RequestRecord } from './requests.ts';
import { type Cost, HOUR, MINUTE, resourceOf } from './spending.ts';
import type { Store } from './store.ts';

/**
 * GitHub's secondary limits: requests at once, points a minute, contents created a minute and an hour.
 * Source: "Rate limits for the REST API" and "Rate limits and query limits for the GraphQL API" on docs.github.com.
 */
const SECONDARY = {
  underWay: 100,
  points: { core: 900, graphql: 2_000 },
  content: { minute: 80, hour: 500 },
};

type Resource = Cost['resource'];

export interface Spent {
  readonly principal: Principal;
  readonly operation: string;
  readonly kind: RequestRecord['kind'];
}

/** Primary limit of an hour: 5,000 for apps and people, 1,000 for workflow tokens, 60 for anonymous callers. */
export function rateLimitOf(store: Store, principal: Principal, resource: Resource = 'core') {
  const limit = principal.kind === 'anonymous' ? 60 : principal.kind === 'job' ? 1_000 : 5_000;
  const spent = store.requests.spending.hour(principalName(principal), store.now());
  const used = Math.min(limit, spent.used[resource]);
  const reset = Math.floor(Math.floor(store.now() / HOUR + 1) * (HOUR / 1000));
  return { limit, used, remaining: limit - used, reset };
}

/** The `X-RateLimit-*` headers of every answer. */
export function rateLimitHeaders(store: Store, spent: Spent): Record<string, string> {
  const resource = resourceOf(spent.operation);
  const rate = rateLimitOf(store, spent.principal, resource);
  return {
    'x-ratelimit-limit': String(rate.limit),
    'x-ratelimit-used': String(rate.used),
    'x-ratelimit-remaining': String(rate.remaining),
    'x-ratelimit-reset': String(rate.reset),
    'x-ratelimit-resource': resource,
  };
}

/** The refusal of a request over a limit, where this GitHub enforces them; else null. */
export function overLimit(store: Store, spent: Spent): Reply | null {
  if (store.limits !== 'enforced' || spent.operation === 'rate-limit/get') return null;
  const resource = resourceOf(spent.operation);
  if (rateLimitOf(store, spent.principal, resource).remaining === 0)
    return primaryRefusal(spent.principal, resource);
  const wait = secondaryWait(store, spent, resource);
  return wait === null ? null : secondaryRefusal(wait, spent.kind === 'content');
}

/** Seconds until a secondary limit of this caller opens again, or null when none is reached. */
function secondaryWait(store: Store, { principal, kind }: Spent, resource: Resource): number | null {
  const now = store.now();
  const name = principalName(principal);
  const { spending } = store.requests;
  const left = (window: number): number => Math.max(1, Math.ceil((window - (now % window)) / 1000));
  if (kind === 'content' && spending.hour(name, now).content >= SECONDARY.content.hour) return left(HOUR);
  const minute = spending.minute(name, now);
  if (kind === 'content' && minute.content >= SECONDARY.content.minute) return left(MINUTE);
  if (minute.points[resource] >= SECONDARY.points[resource]) return left(MINUTE);
  return spending.underWay(name) >= SECONDARY.underWay ? 1 : null;
}

function primaryRefusal(principal: Principal, resource: Resource): Reply {
  const message = `API rate limit exceeded for ${nameOf(principal)}.`;
  if (resource === 'graphql') return { status: 200, body: { errors: [{ type: 'RATE_LIMITED', message }] } };
  return problem(403, message);
}

function nameOf(principal: Principal): string {
  if (principal.kind === 'installation') return `installation ID ${principal.installation.id}`;
  if (principal.kind === 'user') return `user ID ${principal.user.id}`;
  return principal.kind === 'job' ? `installation of run ${principal.runId}` : '127.0.0.1';
}

function secondaryRefusal(seconds: number, content: boolean): Reply {
  const message = content
    ? 'You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please retry your request again later.'
    : 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
  const { status, body } = problem(403, message);
  return { status, body, headers: { 'retry-after': String(seconds) } };
}
