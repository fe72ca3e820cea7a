import type { RunRecord } from '../runs/records.ts';
import { cacheScope } from './cache-scope.ts';
import type { CacheEntry, CacheStore } from './cache-store.ts';

/** The caches as one run may use them. */
export interface JobCaches {
  restore(key: string, restoreKeys: readonly string[], version: string): CacheEntry | null;
  /** False when there is such a cache already. */
  save(key: string, version: string, data: Buffer): boolean;
}

/** Binds the caches to the scope of a run. */
export function jobCaches(store: CacheStore, run: RunRecord): JobCaches {
  const { read, write } = cacheScope(run);
  return {
    restore: (key, restoreKeys, version) => store.find(run.repo, read, { key, restoreKeys, version }),
    save: (key, version, data) => {
      const entry = store.reserve(run.repo, write, key, version);
      if (entry === null || !entry.write(data)) return false;
      store.finalize(entry);
      return true;
    },
  };
}
