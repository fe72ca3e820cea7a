import { type Html, html } from '../html.ts';

export interface Cut<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly last: number;
}

/** The page of a list that `?page=` asks for, from 1. */
export function cutPage<T>(all: readonly T[], query: URLSearchParams, size: number): Cut<T> {
  const last = Math.max(1, Math.ceil(all.length / size));
  const page = Math.min(last, pageNumber(query));
  return { items: all.slice((page - 1) * size, page * size), page, last };
}

/** `?page=` as a whole number from 1. */
export function pageNumber(query: URLSearchParams): number {
  const wanted = Number(query.get('page') ?? 1);
  return Number.isInteger(wanted) && wanted >= 1 && wanted <= 1_000_000 ? wanted : 1;
}

/** The address of this page with other query values; null takes one away. */
export function withQuery(
  path: string,
  query: URLSearchParams,
  change: Readonly<Record<string, string | null>>,
): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(change)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Links to the neighbours, or nothing when there is one page. `last` null: not known, `more` says whether there is a next. */
export function pager(
  path: string,
  query: URLSearchParams,
  at: { readonly page: number; readonly last: number | null; readonly more: boolean },
): Html | null {
  if (at.page === 1 && !at.more) return null;
  const to = (page: number): string => withQuery(path, query, { page: String(page) });
  return html`<nav class="pager" aria-label="Pages">${at.page > 1 ? html`<a rel="prev" href="${to(at.page - 1)}">← Previous</a>` : html`<span></span>`}
<span class="muted">Page ${at.page}${at.last === null ? null : ` of ${at.last}`}</span>
${at.more ? html`<a rel="next" href="${to(at.page + 1)}">Next →</a>` : html`<span></span>`}</nav>`;
}

export const cutPager = (path: string, query: URLSearchParams, cut: Cut<unknown>): Html | null =>
  pager(path, query, { page: cut.page, last: cut.last, more: cut.page < cut.last });
