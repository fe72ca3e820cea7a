/** Milliseconds → GitHub's time format, whole seconds in UTC. */
export const iso = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));
