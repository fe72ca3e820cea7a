import { iso } from '../../iso.ts';
import { type Html, html } from '../html.ts';

/** A moment as people read it, with the exact one as tooltip. Milliseconds, or ISO 8601 as git gives it. */
export function when(time: number | string): Html {
  const ms = typeof time === 'number' ? time : Date.parse(time);
  if (!Number.isFinite(ms)) return html`<span class="muted">at an unknown time</span>`;
  const exact = iso(ms);
  return html`<time datetime="${exact}" title="${exact}">${`${exact.slice(0, 10)} ${exact.slice(11, 16)}`}</time>`;
}

/** `3 s`, `2 min 5 s`, `1 h 4 min`. */
export function lasting(from: number | null, to: number | null): string {
  if (from === null || to === null || to < from) return '';
  const seconds = Math.round((to - from) / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
