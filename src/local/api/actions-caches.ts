import { repoAccess } from '../access.ts';
import type { ActionsParts } from '../actions/actions-routes.ts';
import type { CacheEntry } from '../actions/caches/cache-store.ts';
import { presentCache } from '../actions/present/cache.ts';
import { paginate } from '../paginate.ts';
import { noContent, notFound, ok } from '../reply.ts';
import type { Context, Route } from '../router.ts';

const CACHES = '/repos/{owner}/{repo}/actions/caches';

type Sorted = 'createdAt' | 'lastAccessedAt' | 'size';
const SORTS: Readonly<Record<string, Sorted>> = { created_at: 'createdAt', size_in_bytes: 'size' };

function sortedBy(all: readonly CacheEntry[], by: Sorted, ascending: boolean): CacheEntry[] {
  const value = (one: CacheEntry) => (by === 'size' ? one.data.length : one[by]);
  return [...all].sort((a, b) => (ascending ? value(a) - value(b) : value(b) - value(a)));
}

const named = (all: readonly CacheEntry[], ref: string | null, key: (key: string) => boolean): CacheEntry[] =>
  all.filter((one) => key(one.key) && (ref === null || one.ref === ref));

/** Caches: list, delete by key, delete by id. */
export function actionsCachesRoutes(parts: ActionsParts): readonly Route[] {
  const list = (ctx: Context) => {
    const prefix = ctx.query.get('key') ?? '';
    const found = named(parts.caches.ofRepo(ctx.repo), ctx.query.get('ref'), (key) => key.startsWith(prefix));
    const by = SORTS[ctx.query.get('sort') ?? ''] ?? 'lastAccessedAt';
    const { items, headers } = paginate(ctx, sortedBy(found, by, ctx.query.get('direction') === 'asc'));
    return ok({ total_count: found.length, actions_caches: items.map(presentCache) }, headers);
  };
  return [
    {
      operationId: 'actions/get-actions-cache-list',
      method: 'GET',
      path: CACHES,
      access: repoAccess('actions:read'),
      handler: list,
    },
    {
      operationId: 'actions/delete-actions-cache-by-key',
      method: 'DELETE',
      path: CACHES,
      access: repoAccess('actions:write'),
      handler: (ctx) => {
        const wanted = ctx.query.get('key');
        const found = named(parts.caches.ofRepo(ctx.repo), ctx.query.get('ref'), (key) => key === wanted);
        if (found.length === 0) return notFound();
        for (const one of found) parts.caches.remove(one);
        return ok({ total_count: found.length, actions_caches: found.map(presentCache) });
      },
    },
    {
      operationId: 'actions/delete-actions-cache-by-id',
      method: 'DELETE',
      path: `${CACHES}/{cache_id}`,
      access: repoAccess('actions:write'),
      handler: (ctx) => {
        const found = parts.caches.byId(Number(ctx.params.cache_id));
        if (found?.repo !== ctx.repo) return notFound();
        parts.caches.remove(found);
        return noContent();
      },
    },
  ];
}
