import { expect, it } from 'vitest';
import { EtagCache } from '../../../src/github/etag-cache.ts';

const answer = (etag: string) => ({ etag, data: etag, headers: {} });

it('drops the answer that was used least recently', () => {
  const cache = new EtagCache(2);
  cache.useToken('t');
  cache.set('a', 't', answer('a'));
  cache.set('b', 't', answer('b'));
  cache.get('a');
  cache.set('c', 't', answer('c'));
  expect([cache.get('a')?.etag, cache.get('b'), cache.get('c')?.etag]).toEqual(['a', null, 'c']);
});

it('keeps nothing that was got with a token of before', () => {
  const cache = new EtagCache(2);
  cache.useToken('old');
  cache.useToken('new');
  cache.set('a', 'old', answer('a'));
  expect(cache.get('a')).toBeNull();
});
