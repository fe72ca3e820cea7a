import nock from 'nock';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ApiFailure, retryAtOf } from '../../../src/github/api-failure.ts';
import { host, noon, testClient } from './api-client.ts';
import { assertAllAsked, isolate } from './nock-client.ts';

const anything = z.unknown();
const named = z.object({ name: z.string() });

beforeAll(isolate);
afterEach(assertAllAsked);

describe('reads', () => {
  it('pin the version, send the token, and keep only the fields of the schema', async () => {
    nock(host, { reqheaders: { authorization: 'Bearer token-1', 'x-github-api-version': '2022-11-28' } })
      .get('/thing')
      .reply(200, { name: 'a', secret: 'b' });
    const { client } = testClient();
    expect(await client.read('GET /thing', {}, named)).toEqual({ name: 'a' });
    expect(client.counts()).toEqual({ read: 1, write: 0, content: 0 });
  });

  it('are repeated twice after a 5xx, waiting longer each time', async () => {
    nock(host).get('/thing').twice().reply(502).get('/thing').reply(200, { name: 'a' });
    const { client, slept } = testClient();
    expect(await client.read('GET /thing', {}, named)).toEqual({ name: 'a' });
    expect(slept).toEqual([500, 1000]);
    expect(client.counts().read).toBe(3);
  });

  it('fail as unclear after the third 5xx', async () => {
    nock(host).get('/thing').thrice().reply(503);
    const { client } = testClient();
    await expect(client.read('GET /thing', {}, named)).rejects.toMatchObject({
      code: 'github.unclear',
      retryable: true,
    });
  });

  it('are repeated after a lost connection', async () => {
    nock(host).get('/thing').replyWithError('socket hang up').get('/thing').reply(200, { name: 'a' });
    expect(await testClient().client.read('GET /thing', {}, named)).toEqual({ name: 'a' });
  });

  it('are not repeated after a refusal', async () => {
    nock(host).get('/thing').reply(403, { message: 'Resource not accessible by integration' });
    const { client } = testClient();
    await expect(client.read('GET /thing', {}, named)).rejects.toMatchObject({ code: 'github.forbidden' });
    expect(client.counts().read).toBe(1);
  });

  it('tell when a rate limit ends', async () => {
    nock(host).get('/thing').reply(429, { message: 'slow down' }, { 'retry-after': '7' });
    const error = await testClient()
      .client.read('GET /thing', {}, named)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiFailure);
    expect(retryAtOf(error)).toBe(noon + 7000);
  });

  it('refuse an answer of another shape, naming the field and never its value', async () => {
    nock(host).get('/thing').reply(200, { name: 17 });
    const error = await testClient()
      .client.read('GET /thing', {}, named)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'github.unexpected-answer' });
    expect(String(error)).toContain('name');
    expect(String(error)).not.toContain('17');
  });

  it('find null where there is nothing, and still fail on everything else', async () => {
    nock(host).get('/gone').reply(404, { message: 'Not Found' }).get('/shut').reply(403, { message: 'no' });
    const { client } = testClient();
    expect(await client.find('GET /gone', {}, named)).toBeNull();
    await expect(client.find('GET /shut', {}, named)).rejects.toBeInstanceOf(ApiFailure);
  });
});

describe('the cache', () => {
  it('answers from memory after a 304', async () => {
    nock(host).get('/thing').reply(200, { name: 'a' }, { etag: '"1"' });
    nock(host, { reqheaders: { 'if-none-match': '"1"' } })
      .get('/thing')
      .reply(304);
    const { client } = testClient();
    await client.read('GET /thing', {}, named);
    expect(await client.read('GET /thing', {}, named)).toEqual({ name: 'a' });
  });

  it('takes a changed answer, and its ETag from then on', async () => {
    nock(host).get('/thing').reply(200, { name: 'a' }, { etag: '"1"' });
    nock(host, { reqheaders: { 'if-none-match': '"1"' } })
      .get('/thing')
      .reply(200, { name: 'b' }, { etag: '"2"' });
    nock(host, { reqheaders: { 'if-none-match': '"2"' } })
      .get('/thing')
      .reply(304);
    const { client } = testClient();
    await client.read('GET /thing', {}, named);
    expect(await client.read('GET /thing', {}, named)).toEqual({ name: 'b' });
    expect(await client.read('GET /thing', {}, named)).toEqual({ name: 'b' });
  });

  it('is void with another token', async () => {
    nock(host).get('/thing').reply(200, { name: 'a' }, { etag: '"1"' });
    nock(host, { badheaders: ['if-none-match'] })
      .get('/thing')
      .reply(200, { name: 'b' }, { etag: '"1"' });
    const test = testClient();
    await test.client.read('GET /thing', {}, named);
    test.token = 'token-2';
    expect(await test.client.read('GET /thing', {}, named)).toEqual({ name: 'b' });
  });

  it('tells addresses with other parameters apart', async () => {
    nock(host).get('/thing?page=1').reply(200, { name: 'a' }, { etag: '"1"' });
    nock(host, { badheaders: ['if-none-match'] })
      .get('/thing?page=2')
      .reply(200, { name: 'b' });
    const { client } = testClient();
    await client.read('GET /thing', { page: 1 }, named);
    expect(await client.read('GET /thing', { page: 2 }, named)).toEqual({ name: 'b' });
  });
});

describe('lists', () => {
  it('go on while the server links a next page', async () => {
    const next = { link: `<${host}/list?page=2>; rel="next"` };
    nock(host)
      .get('/list')
      .query({ per_page: 100, page: 1 })
      .reply(200, [{ name: 'a' }], next);
    nock(host)
      .get('/list')
      .query({ per_page: 100, page: 2 })
      .reply(200, [{ name: 'b' }]);
    const pages: unknown[] = [];
    for await (const page of testClient().client.pages('GET /list', {}, z.array(named))) pages.push(page);
    expect(pages).toEqual([[{ name: 'a' }], [{ name: 'b' }]]);
  });

  it('follow pages that a 304 answered', async () => {
    const next = { link: `<${host}/list?page=2>; rel="next"`, etag: '"1"' };
    nock(host).get('/list').query({ per_page: 100, page: 1 }).reply(200, [], next);
    nock(host).get('/list').query({ per_page: 100, page: 1 }).reply(304);
    nock(host).get('/list').query({ per_page: 100, page: 2 }).twice().reply(200, []);
    const { client } = testClient();
    const count = async () => {
      let pages = 0;
      for await (const _ of client.pages('GET /list', {}, z.array(named))) pages += 1;
      return pages;
    };
    expect(await count()).toBe(2);
    expect(await count()).toBe(2);
  });

  it('are never cut off in silence', async () => {
    const next = { link: `<${host}/list?page=next>; rel="next"` };
    nock(host).get('/list').query(true).times(100).reply(200, [], next);
    const readAll = async () => {
      for await (const _ of testClient().client.pages('GET /list', {}, z.array(named)));
    };
    await expect(readAll()).rejects.toMatchObject({ code: 'github.list-too-long' });
  });
});

describe('writes', () => {
  it('are never repeated: a 5xx and a lost connection are unclear', async () => {
    nock(host).post('/a').reply(502, { message: 'Bad Gateway' });
    nock(host).post('/b').replyWithError('socket hang up');
    const { client } = testClient();
    for (const path of ['/a', '/b']) {
      expect(await client.write(`POST ${path}`, {}, anything)).toMatchObject({
        kind: 'failed',
        failure: { kind: 'unclear' },
      });
    }
    expect(client.counts()).toEqual({ read: 0, write: 2, content: 0 });
  });

  it('are not repeated after 405 or 409 either', async () => {
    nock(host).put('/a').reply(409, { message: 'moved' });
    const { client } = testClient();
    expect(await client.write('PUT /a', {}, anything)).toMatchObject({
      kind: 'failed',
      failure: { kind: 'conflict', status: 409 },
    });
  });

  it('count as unclear when their answer cannot be read: the effect was made', async () => {
    nock(host).post('/a').reply(201, { id: 'odd' });
    const answer = await testClient().client.write('POST /a', {}, z.object({ id: z.number() }), 'content');
    expect(answer).toMatchObject({ kind: 'failed', failure: { kind: 'unclear', status: 201 } });
  });

  it('keep the gap between each other, and go one by one', async () => {
    nock(host).post('/a').reply(201, {}).post('/b').reply(201, {});
    const { client, slept } = testClient({ writeGapMs: 1000 });
    await Promise.all([client.write('POST /a', {}, anything), client.write('POST /b', {}, anything)]);
    expect(slept).toEqual([1000]);
  });

  it('never wait for more than the gap, also when the clock is put back', async () => {
    nock(host).post('/a').reply(201, {}).post('/b').reply(201, {});
    const slept: number[] = [];
    let now = Date.parse('2026-11-30T12:00:00Z');
    const clock = { now: () => now, sleep: async (ms: number) => void slept.push(ms) };
    const { client } = testClient({ writeGapMs: 1000, clock });
    await client.write('POST /a', {}, anything);
    now -= 3_600_000;
    await client.write('POST /b', {}, anything);
    expect(slept).toEqual([1000]);
  });

  it('go on after one that failed', async () => {
    nock(host).post('/a').reply(500).post('/b').reply(201, {});
    const { client } = testClient();
    const [first, second] = await Promise.all([
      client.write('POST /a', {}, anything),
      client.write('POST /b', {}, anything, 'content'),
    ]);
    expect([first.kind, second.kind]).toEqual(['failed', 'done']);
    expect(client.counts()).toEqual({ read: 0, write: 2, content: 1 });
  });
});

describe('GraphQL', () => {
  const schema = z.object({ thing: named.nullable() });

  it('is asked beside /api/v3 on a server of its own', async () => {
    nock(host)
      .post('/api/graphql')
      .reply(200, { data: { thing: { name: 'a' } } });
    const { client } = testClient({ baseUrl: `${host}/api/v3` });
    expect(await client.query('{ thing { name } }', {}, schema)).toEqual({ thing: { name: 'a' } });
    expect(client.counts()).toEqual({ read: 1, write: 0, content: 0 });
  });

  it('shows missing objects as null', async () => {
    const errors = [{ type: 'NOT_FOUND', message: 'Could not resolve to an Issue' }];
    nock(host)
      .post('/graphql')
      .reply(200, { data: { thing: null }, errors });
    expect(await testClient().client.query('{ thing { name } }', {}, schema)).toEqual({ thing: null });
  });

  it.each([
    ['RATE_LIMITED', 'API rate limit exceeded', 'rate-limited'],
    ['FORBIDDEN', 'Resource not accessible by integration', 'forbidden'],
    [undefined, "Field 'x' doesn't exist on type 'Issue'", 'unprocessable'],
  ])('fails on an error of type %s although data came too', async (type, message, kind) => {
    nock(host)
      .post('/graphql')
      .reply(200, { data: { thing: null }, errors: [{ type, message }] });
    await expect(testClient().client.query('{ thing { name } }', {}, schema)).rejects.toMatchObject({
      failure: { kind },
    });
  });

  it('repeats a query after a 5xx, and never a mutation', async () => {
    nock(host)
      .post('/graphql')
      .reply(502)
      .post('/graphql')
      .reply(200, { data: { thing: null } });
    const { client } = testClient();
    expect(await client.query('{ thing { name } }', {}, schema)).toEqual({ thing: null });
    nock(host).post('/graphql').reply(502);
    expect(await client.mutate('mutation { thing { name } }', {}, schema)).toMatchObject({
      kind: 'failed',
      failure: { kind: 'unclear' },
    });
    expect(client.counts()).toEqual({ read: 2, write: 1, content: 0 });
  });

  it('takes an internal fault after a mutation as unclear', async () => {
    const errors = [{ message: 'Something went wrong while executing your query.' }];
    nock(host).post('/graphql').reply(200, { data: null, errors });
    expect(await testClient().client.mutate('mutation { thing { name } }', {}, schema)).toMatchObject({
      failure: { kind: 'unclear' },
    });
  });
});

it('tells the budget that the last answer showed', async () => {
  const reset = noon / 1000 + 60;
  const headers = {
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': '4000',
    'x-ratelimit-reset': String(reset),
  };
  nock(host).get('/thing').reply(200, {}, headers);
  const { client } = testClient();
  expect(client.budget()).toBeNull();
  await client.read('GET /thing', {}, anything);
  expect(client.budget()).toEqual({ limit: 5000, remaining: 4000, resetAtMs: reset * 1000 });
});
