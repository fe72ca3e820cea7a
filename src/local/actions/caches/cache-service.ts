import { z } from 'zod';
import { done, fail, type RpcAnswer } from '../artifacts/rpc.ts';
import type { SignedUrls } from '../artifacts/signed-url.ts';
import type { RunRecord } from '../runs/records.ts';
import { cacheScope } from './cache-scope.ts';
import { type CacheStore, isCacheKey } from './cache-store.ts';

export const CACHE_SERVICE = '/twirp/github.actions.results.api.v1.CacheService/';

const HOUR = 3_600_000;

const request = z.object({
  key: z.string(),
  version: z.string(),
  restore_keys: z.array(z.string()).default([]),
  size_bytes: z.union([z.string(), z.number()]).transform(Number).optional(),
});

interface CacheServiceParts {
  readonly caches: CacheStore;
  readonly signed: SignedUrls;
  readonly now: () => number;
}

/** The calls of `@actions/cache` (its service version 2), in the scope of the run that calls. */
export function callCacheService(
  { caches, signed, now }: CacheServiceParts,
  run: RunRecord,
  method: string,
  body: unknown,
): RpcAnswer {
  const { key, version, restore_keys: restoreKeys, size_bytes: size } = request.parse(body);
  const { repo } = run;
  const { read, write } = cacheScope(run);
  const sign = (action: 'cache-upload' | 'cache-download', id: number) =>
    signed.sign({ action, id: String(id), expiresAt: now() + HOUR });
  if (!isCacheKey(key)) return fail(400, 'invalid_argument', `the cache key is not valid: ${key}`);
  switch (method) {
    case 'CreateCacheEntry': {
      const entry = caches.reserve(repo, write, key, version);
      if (entry === null)
        return fail(
          409,
          'already_exists',
          'cache entry with the same key, version, and scope already exists',
        );
      return done({ ok: true, signed_upload_url: sign('cache-upload', entry.id) });
    }
    case 'FinalizeCacheEntryUpload': {
      const entry = caches.reserved(repo, write, key, version);
      if (entry === undefined) return fail(404, 'not_found', 'no such cache entry');
      if (size !== undefined && size !== entry.data.length)
        return fail(400, 'invalid_argument', 'size does not match the upload');
      caches.finalize(entry);
      return done({ ok: true, entry_id: String(entry.id) });
    }
    case 'GetCacheEntryDownloadURL': {
      const entry = caches.find(repo, read, { key, restoreKeys, version });
      if (entry === null) return done({ ok: false, signed_download_url: '', matched_key: '' });
      return done({
        ok: true,
        signed_download_url: sign('cache-download', entry.id),
        matched_key: entry.key,
      });
    }
    default:
      return fail(404, 'bad_route', `no such method: ${method}`);
  }
}
