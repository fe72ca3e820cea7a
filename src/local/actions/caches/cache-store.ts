import type { Repo } from '../../records/repository.ts';
import type { BlobTarget } from '../artifacts/put-blob.ts';

/** One cache: the archive of a key and version, on the branch whose run made it. */
export interface CacheEntry extends BlobTarget {
  readonly id: number;
  readonly repo: Repo;
  /** Full ref of the run that made it. */
  readonly ref: string;
  readonly key: string;
  /** What the client mixes out of paths and compression: another version is another cache. */
  readonly version: string;
  readonly createdAt: number;
  lastAccessedAt: number;
  data: Buffer;
  finalized: boolean;
}

export interface CacheLimits {
  /** Bytes of all caches of a repository; beyond, those not used for the longest time go. */
  readonly maxBytes: number;
  /** Milliseconds after which an unused cache goes. */
  readonly unusedFor: number;
}

export const DEFAULT_CACHE_LIMITS: CacheLimits = {
  maxBytes: 10 * 1024 ** 3,
  unusedFor: 7 * 24 * 3_600_000,
};

const FIRST_ID = 220_000_000;
/** A reservation that nobody completes keeps its key for so long. */
const RESERVED_FOR = 600_000;

/** Whether a text may be a cache's key. */
export const isCacheKey = (key: string): boolean => key !== '' && key.length <= 512 && !key.includes(',');

/** All caches, in memory. A cache is immutable: one key and version is written once on one ref. */
export class CacheStore {
  /** By id, complete or not. */
  readonly all = new Map<number, CacheEntry>();
  readonly #now: () => number;
  readonly limits: CacheLimits;
  #made = 0;

  constructor(now: () => number, limits: CacheLimits) {
    this.#now = now;
    this.limits = limits;
  }

  /** Begins a cache; null when there is one already, or somebody else is at it. */
  reserve(repo: Repo, ref: string, key: string, version: string): CacheEntry | null {
    const now = this.#now();
    const same = this.#of(repo).find((one) => one.ref === ref && one.key === key && one.version === version);
    if (same !== undefined && (same.finalized || now - same.createdAt < RESERVED_FOR)) return null;
    if (same !== undefined) this.remove(same);
    this.#made += 1;
    const entry: CacheEntry = {
      id: FIRST_ID + this.#made,
      repo,
      ref,
      key,
      version,
      createdAt: now,
      lastAccessedAt: now,
      blocks: new Map(),
      data: Buffer.alloc(0),
      finalized: false,
      write: (data) => {
        if (entry.finalized || data.length > this.limits.maxBytes) return false;
        entry.data = data;
        return true;
      },
    };
    this.all.set(entry.id, entry);
    return entry;
  }

  /** Takes in a complete cache of an earlier life of this server. */
  adopt(entry: CacheEntry): void {
    this.all.set(entry.id, entry);
    this.#made = Math.max(this.#made, entry.id - FIRST_ID);
  }

  /** The reservation of a key, to be completed. */
  reserved(repo: Repo, ref: string, key: string, version: string): CacheEntry | undefined {
    return this.#of(repo).find(
      (one) => !one.finalized && one.ref === ref && one.key === key && one.version === version,
    );
  }

  /** Makes a cache readable, and makes room for it. */
  finalize(entry: CacheEntry): void {
    entry.finalized = true;
    entry.lastAccessedAt = this.#now();
    const byUse = this.ofRepo(entry.repo).sort((a, b) => a.lastAccessedAt - b.lastAccessedAt);
    let total = byUse.reduce((sum, one) => sum + one.data.length, 0);
    for (const old of byUse) {
      if (total <= this.limits.maxBytes || old === entry) continue;
      this.remove(old);
      total -= old.data.length;
    }
  }

  /**
   * The cache that a restore gets. On each ref in order: the key exactly, the key as a prefix, then each restore key as
   * a prefix; of several, the newest (GitHub docs, "Cache key matching").
   */
  find(
    repo: Repo,
    refs: readonly string[],
    wanted: { readonly key: string; readonly restoreKeys: readonly string[]; readonly version: string },
  ): CacheEntry | null {
    const readable = this.ofRepo(repo).filter((one) => one.version === wanted.version);
    for (const ref of refs) {
      const own = readable.filter((one) => one.ref === ref);
      const exact = own.find((one) => one.key === wanted.key);
      const prefixes = [wanted.key, ...wanted.restoreKeys];
      const found =
        exact ??
        prefixes
          .map((prefix) => own.find((one) => one.key.startsWith(prefix)))
          .find((one) => one !== undefined);
      if (found === undefined) continue;
      found.lastAccessedAt = this.#now();
      return found;
    }
    return null;
  }

  byId(id: number): CacheEntry | undefined {
    return this.all.get(id);
  }

  /** Readable caches of a repository, newest first. What was not used for too long goes now. */
  ofRepo(repo: Repo): CacheEntry[] {
    const oldest = this.#now() - this.limits.unusedFor;
    for (const one of this.#of(repo)) if (one.lastAccessedAt < oldest) this.remove(one);
    return this.#of(repo)
      .filter((one) => one.finalized)
      .reverse();
  }

  remove(entry: CacheEntry): void {
    this.all.delete(entry.id);
  }

  #of(repo: Repo): CacheEntry[] {
    return [...this.all.values()].filter((one) => one.repo === repo);
  }
}
