import { beforeEach, describe, expect, it } from 'vitest';
import { cacheScope } from '../../../../src/local/actions/caches/cache-scope.ts';
import { CacheStore, DEFAULT_CACHE_LIMITS } from '../../../../src/local/actions/caches/cache-store.ts';
import type { RunRecord } from '../../../../src/local/actions/runs/records.ts';
import type { Repo } from '../../../../src/local/records/repository.ts';

const repo = { id: 1, defaultBranch: 'main' } as Repo;
const MAIN = 'refs/heads/main';
const TOPIC = 'refs/heads/topic';

let now: number;
let store: CacheStore;
beforeEach(() => {
  now = 1_000_000_000_000;
  store = new CacheStore(() => now, { ...DEFAULT_CACHE_LIMITS, maxBytes: 100 });
});

function save(key: string, ref = MAIN, bytes = 1, version = 'v'): boolean {
  now += 1000;
  const entry = store.reserve(repo, ref, key, version);
  if (entry === null || !entry.write(Buffer.alloc(bytes))) return false;
  store.finalize(entry);
  return true;
}

const find = (key: string, restoreKeys: string[] = [], refs = [MAIN], version = 'v') => {
  now += 1000;
  const entry = store.find(repo, refs, { key, restoreKeys, version });
  return entry === null ? null : `${entry.ref.split('/').at(-1)}:${entry.key}`;
};

describe('caches', () => {
  it('are written once', () => {
    expect([save('k'), save('k'), save('k', TOPIC), save('k', MAIN, 1, 'other')]).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });

  it('cannot be read before they are complete, and a reservation is given up in the end', () => {
    const first = store.reserve(repo, MAIN, 'k', 'v');
    expect([find('k'), store.reserve(repo, MAIN, 'k', 'v')]).toEqual([null, null]);
    now += 600_001;
    expect(store.reserve(repo, MAIN, 'k', 'v')?.id).not.toBe(first?.id);
  });

  it('are found by key, then by prefix, the newest first, restore keys in order', () => {
    for (const key of ['npm-1', 'npm-2', 'yarn-1', 'np']) save(key);
    expect(find('npm-1')).toBe('main:npm-1');
    expect(find('npm-')).toBe('main:npm-2');
    expect(find('none', ['yarn-', 'npm-'])).toBe('main:yarn-1');
    expect(find('none', ['no', 'n'])).toBe('main:np');
    expect(find('none', ['no'])).toBeNull();
    expect(find('npm-1', [], [MAIN], 'other')).toBeNull();
  });

  it('are looked for on each ref in order, all keys on the first before the next', () => {
    save('npm-1', MAIN);
    save('npm-0', TOPIC);
    expect(find('npm-1', ['npm-'], [TOPIC, MAIN])).toBe('topic:npm-0');
    expect(find('npm-1', [], [TOPIC, MAIN])).toBe('main:npm-1');
  });

  it('make room for new ones by what was not used for longest, and go when unused for a week', () => {
    save('a', MAIN, 40);
    save('b', MAIN, 40);
    find('a');
    save('c', MAIN, 40);
    expect([find('a'), find('b'), find('c')]).toEqual(['main:a', null, 'main:c']);
    now += 6 * 24 * 3_600_000;
    find('a');
    now += 2 * 24 * 3_600_000;
    expect([find('a'), find('c')]).toEqual(['main:a', null]);
    expect(save('huge', MAIN, 101)).toBe(false);
  });
});

describe('the scope of caches', () => {
  const scope = (cause: Partial<RunRecord['cause']>) =>
    cacheScope({ repo, cause: { baseRef: null, ...cause } } as RunRecord);
  it('is the run’s own ref, the base of its pull request, and the default branch', () => {
    expect(scope({ ref: TOPIC })).toEqual({ write: TOPIC, read: [TOPIC, MAIN] });
    expect(scope({ ref: MAIN })).toEqual({ write: MAIN, read: [MAIN] });
    expect(scope({ ref: 'refs/pull/7/merge', baseRef: 'release' })).toEqual({
      write: 'refs/pull/7/merge',
      read: ['refs/pull/7/merge', 'refs/heads/release', MAIN],
    });
  });
});
