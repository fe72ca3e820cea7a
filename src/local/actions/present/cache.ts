import { iso } from '../../iso.ts';
import type { CacheEntry } from '../caches/cache-store.ts';

/** One of `actions-cache-list` of GitHub's description. */
export function presentCache(entry: CacheEntry) {
  const { id, ref, key, version } = entry;
  return {
    id,
    ref,
    key,
    version,
    last_accessed_at: iso(entry.lastAccessedAt),
    created_at: iso(entry.createdAt),
    size_in_bytes: entry.data.length,
  };
}
