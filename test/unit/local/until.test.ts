import { afterAll, beforeAll, expect, it } from 'vitest';
import { rateLimitOf } from '../../../src/local/rate-limit.ts';
import { Store } from '../../../src/local/store.ts';
import { until } from '../../../src/local/until.ts';
import { type LocalWorld, openWorld } from '../../contract/support/local-world.ts';

const r = { owner: 'acme', repo: 'demo' };
let world: LocalWorld;

beforeAll(async () => {
  world = await openWorld({ validate: 'off' });
});

afterAll(async () => {
  await world.close();
});

it('wakes at the event that makes a condition true', async () => {
  const { store } = world.github;
  const waiting = until(store, 'an issue', () => world.repo.issues.get(1));
  await world.asApp.rest.issues.create({ ...r, title: 'T' });
  expect((await waiting).title).toBe('T');
  const moved = until(store, 'the ref', () => world.repo.git.ref('refs/ccd/x'));
  await world.sh(
    `git clone -q "${world.remote(world.tokens.owner)}" w && cd w && git push -q origin HEAD:refs/ccd/x`,
  );
  expect(await moved).toHaveLength(40);
});

it('names the condition that never came, and passes on what the look threw', async () => {
  const { store } = world.github;
  await expect(until(store, 'rain', () => null, 20)).rejects.toThrow('in vain for: rain');
  const broken = until(store, 'x', () => {
    throw new TypeError('broken look');
  });
  await expect(broken).rejects.toThrow('broken look');
});

it('gives the limit back each hour and counts no 304', () => {
  let now = 0;
  const store = new Store({ dataDir: '/nowhere', now: () => now });
  const record = { principal: 'anonymous', operation: 'x', method: 'GET', path: '/', kind: 'read' as const };
  store.requests.add({ ...record, at: now, status: 200 });
  store.requests.add({ ...record, at: now, status: 304 });
  expect(rateLimitOf(store, { kind: 'anonymous' })).toMatchObject({ limit: 60, used: 1, reset: 3600 });
  now = 3_600_000;
  expect(rateLimitOf(store, { kind: 'anonymous' })).toMatchObject({ used: 0, remaining: 60 });
});
