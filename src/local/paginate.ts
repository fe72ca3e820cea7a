import type { Context } from './router.ts';

export interface Page<T> {
  readonly items: T[];
  /** `Link` header when there is more than one page. */
  readonly headers: Record<string, string>;
}

/** Cuts one page (`page`, `per_page` up to 100, 30 unless asked) and writes the `Link` header. */
export function paginate<T>(ctx: Context, all: readonly T[]): Page<T> {
  const perPage = clamp(Number(ctx.query.get('per_page') ?? 30), 1, 100, 30);
  const page = clamp(Number(ctx.query.get('page') ?? 1), 1, Number.MAX_SAFE_INTEGER, 1);
  const last = Math.max(1, Math.ceil(all.length / perPage));
  const links: string[] = [];
  const link = (target: number, rel: string) => {
    const url = new URL(ctx.url.pathname.replace(/^\//, ''), `${ctx.urls.api}/`);
    for (const [key, value] of ctx.query) url.searchParams.set(key, value);
    url.searchParams.set('page', String(target));
    links.push(`<${url.href}>; rel="${rel}"`);
  };
  if (page > 1) link(page - 1, 'prev');
  if (page < last) link(page + 1, 'next');
  if (page < last) link(last, 'last');
  if (page > 1) link(1, 'first');
  return {
    items: all.slice((page - 1) * perPage, page * perPage),
    headers: links.length > 0 ? { link: links.join(', ') } : {},
  };
}

const clamp = (value: number, low: number, high: number, fallback: number): number =>
  Number.isInteger(value) ? Math.min(high, Math.max(low, value)) : fallback;
