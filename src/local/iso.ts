/** Times as they were written last: the same few stand in most answers. */
const written = new Map<number, string>();
const MAX_WRITTEN = 10_000;

/** Milliseconds → GitHub's time format, whole seconds in UTC. */
export function iso(ms: number): string {
  const known = written.get(ms);
  if (known !== undefined) return known;
  const text = `${new Date(ms).toISOString().slice(0, 19)}Z`;
  if (written.size >= MAX_WRITTEN) written.clear();
  written.set(ms, text);
  return text;
}

export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));
