import type { RunRecord } from '../runs/records.ts';

/** Where a run's caches are written, and where it looks for them, in this order. */
export interface CacheScope {
  readonly write: string;
  readonly read: readonly string[];
}

/**
 * A run writes to its own ref alone. It reads there, on the base branch of its pull request, and on the default branch;
 * never what a sibling branch or another pull request wrote (GitHub docs, "Restrictions for accessing a cache").
 */
export function cacheScope({ cause, repo }: RunRecord): CacheScope {
  const base = cause.baseRef === null ? [] : [`refs/heads/${cause.baseRef}`];
  const read = [...new Set([cause.ref, ...base, `refs/heads/${repo.defaultBranch}`])];
  return { write: cause.ref, read };
}
