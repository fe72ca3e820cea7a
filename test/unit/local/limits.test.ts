import { Octokit } from '@octokit/rest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LocalWorld, openWorld } from '../../contract/support/local-world.ts';

// Source of all figures: "Rate limits for the REST API" and "Rate limits and query limits for the GraphQL API", docs.github.com.
const r = { owner: 'acme', repo: 'demo' };
const START = Date.parse('2026-11-30T12:00:00Z');
let world: LocalWorld;
let now = START;

beforeEach(async () => {
  now = START;
  world = await openWorld({ now: () => now, limits: 'enforced' });
});
afterEach(() => world.close());

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly response: { readonly headers: Record<string, string | undefined> };
}
const refusalOf = (call: Promise<unknown>): Promise<Refusal> =>
  call.then(
    () => Promise.reject(new Error('It was not refused.')),
    (fault: Refusal) => fault,
  );

async function times(count: number, call: (index: number) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < count; index += 1) await call(index);
}

describe('limits, enforced', () => {
  it('60 requests an hour for nobody in particular; the limit opens again with the hour', async () => {
    const anonymous = new Octokit({ baseUrl: `${world.github.url}/api/v3`, log: quiet });
    await times(60, () => anonymous.rest.repos.get(r));
    const { status, message, response } = await refusalOf(anonymous.rest.repos.get(r));
    expect([status, response.headers['x-ratelimit-remaining']]).toEqual([403, '0']);
    expect(message).toMatch(/^API rate limit exceeded for /);
    expect(Number(response.headers['x-ratelimit-reset']) * 1000).toBe(START + 3_600_000);
    expect((await anonymous.rest.rateLimit.get()).data.rate.remaining).toBe(0);
    now += 3_600_000;
    expect((await anonymous.rest.repos.get(r)).status).toBe(200);
  });

  it('are those of the clock: turned back it comes to an hour that was begun, forward again to the one that was used up', async () => {
    const anonymous = new Octokit({ baseUrl: `${world.github.url}/api/v3`, log: quiet });
    const ask = () => anonymous.rest.repos.get(r);
    await times(60, ask);
    now -= 3_600_000;
    expect((await ask()).status).toBe(200);
    now += 3_600_000;
    expect((await refusalOf(ask())).status).toBe(403);
    now += 3_600_000;
    await times(60, ask);
    now -= 2 * 3_600_000;
    await times(59, ask);
    expect((await refusalOf(ask())).status).toBe(403);
  });

  it('hold for a clock at either end of time: its dates are dates, and what waits waits for less than an hour', async () => {
    for (const jump of [-1e14, 1e17]) {
      world.github.store.clockSkewMs = jump;
      const { data, headers } = await world.asWriter.rest.issues.create({ ...r, title: 'x' });
      expect(data.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const date = Date.parse(headers.date!);
      const reset = Number(headers['x-ratelimit-reset']) * 1000;
      expect(reset - date).toBeGreaterThan(0);
      expect(reset - date).toBeLessThanOrEqual(3_600_000);
    }
    world.github.store.clockSkewMs = 0;
    expect(world.github.store.crashes).toEqual([]);
  });

  it('a 304 costs nothing, and the tag of one token is none of another', async () => {
    const { headers } = await world.asReader.rest.repos.get(r);
    const used = async () => (await world.asReader.rest.rateLimit.get()).data.rate.used;
    const before = await used();
    const conditional = { ...r, headers: { 'if-none-match': `W/"other", ${headers.etag}` } };
    await expect(world.asReader.rest.repos.get(conditional)).rejects.toMatchObject({ status: 304 });
    expect(await used()).toBe(before);
    expect((await world.asWriter.rest.repos.get(conditional)).status).toBe(200);
  });

  it('80 contents a minute, 500 an hour', async () => {
    const create = () => world.asWriter.rest.issues.create({ ...r, title: 'x' });
    await times(80, create);
    const first = await refusalOf(create());
    expect([first.status, first.response.headers['retry-after']]).toEqual([403, '60']);
    expect(first.message).toMatch(/secondary rate limit.*content creation/);
    expect((await world.asWriter.rest.repos.get(r)).status).toBe(200);
    for (let minute = 1; minute <= 5; minute += 1) {
      now += 60_000;
      await times(80, create);
    }
    now += 60_000;
    await times(20, create);
    const last = await refusalOf(create());
    expect(Number(last.response.headers['retry-after'])).toBe(3600 - 6 * 60);
  });

  it('900 points a minute: a read 1, a write 5', async () => {
    await times(100, () => world.asWriter.rest.repos.get(r));
    const { data: issue } = await world.asWriter.rest.issues.create({ ...r, title: 'x' });
    const write = (index: number) =>
      world.asWriter.rest.issues.update({ ...r, issue_number: issue.number, title: `y${index}` });
    await times(159, write);
    const { status, message } = await refusalOf(write(0));
    expect([status, /secondary rate limit/.test(message)]).toEqual([403, true]);
    expect((await world.asOwner.rest.repos.get(r)).status).toBe(200);
    now += 60_000;
    expect(((await write(1)) as { status: number }).status).toBe(200);
  });

  it('GraphQL has a budget of its own, and says RATE_LIMITED with status 200', async () => {
    const query = () => world.asReader.graphql('query { viewer { login } }');
    const { store } = world.github;
    const spend = (count: number) => {
      const cost = { resource: 'graphql', points: 1, content: false } as const;
      for (let index = 0; index < count; index += 1) store.requests.spending.spend('user:ruth', now, cost);
    };
    spend(1_999);
    await query();
    expect((await refusalOf(query())).status).toBe(403);
    now += 60_000;
    spend(3_000);
    now += 60_000;
    const limited = await refusalOf(query());
    expect(limited.message).toMatch(/API rate limit exceeded for user ID/);
    expect((await world.asReader.rest.repos.get(r)).status).toBe(200);
  });

  it('only tells where it was not asked to enforce', async () => {
    const { store } = world.github;
    const told = await openWorld({ now: () => now });
    const cost = { resource: 'core', points: 5, content: true } as const;
    for (let index = 0; index < 6_000; index += 1)
      told.github.store.requests.spending.spend('user:wendy', now, cost);
    expect((await told.asWriter.rest.issues.create({ ...r, title: 'x' })).status).toBe(201);
    expect(store.limits).toBe('enforced');
    await told.close();
  });
});
