import { createSign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalWorld, openWorld } from '../../contract/support/local-world.ts';

let world: LocalWorld;
let now = Date.parse('2026-01-01T00:00:00Z');

beforeAll(async () => {
  world = await openWorld({ validate: 'throw', now: () => now });
});

afterAll(async () => {
  await world.close();
});

function jwt(claims: object, key = world.app.privateKey): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
}

const call = (path: string, token: string, init: RequestInit = {}) =>
  fetch(`${world.github.url}/api/v3${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) },
  });

const mint = async (body: object = {}) => {
  const seconds = now / 1000;
  const answer = await call(
    `/app/installations/${world.installation.id}/access_tokens`,
    jwt({ iss: world.app.id, iat: seconds - 30, exp: seconds + 300 }),
    { method: 'POST', body: JSON.stringify(body) },
  );
  return (await answer.json()) as { token: string; expires_at: string };
};

describe('an app’s JWT', () => {
  it('is accepted when signed by its key and in time', async () => {
    const seconds = now / 1000;
    const good = { iss: world.app.id, iat: seconds - 30, exp: seconds + 300 };
    expect((await call('/app', jwt(good))).status).toBe(200);
    expect((await call('/app', jwt({ ...good, iss: world.app.clientId }))).status).toBe(200);
    expect((await call('/app', jwt({ ...good, exp: seconds - 1 }))).status).toBe(401);
    expect((await call('/app', jwt({ ...good, exp: seconds + 1200 }))).status).toBe(401);
    expect((await call('/app', jwt({ ...good, iat: seconds + 120 }))).status).toBe(401);
    const [head, body] = jwt(good).split('.');
    expect((await call('/app', `${head}.${body}.AAAA`)).status).toBe(401);
    expect(
      (await call('/repos/acme/demo/issues', jwt(good), { method: 'POST', body: '{"title":"x"}' })).status,
    ).not.toBe(201);
  });
});

describe('an installation token', () => {
  it('is long, and ends after an hour', async () => {
    const { token, expires_at } = await mint();
    expect(token.length).toBeGreaterThan(500);
    expect(Date.parse(expires_at) - now).toBe(3_600_000);
    expect((await call('/repos/acme/demo', token)).status).toBe(200);
    now += 3_600_000;
    expect((await call('/repos/acme/demo', token)).status).toBe(401);
  });

  it('does no more than its permissions, in GitHub’s words', async () => {
    const { token } = await mint({ permissions: { issues: 'read' } });
    expect((await call('/repos/acme/demo/issues', token)).status).toBe(200);
    const refused = await call('/repos/acme/demo/issues', token, { method: 'POST', body: '{"title":"x"}' });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      message: 'Resource not accessible by integration',
      status: '403',
    });
    expect((await call('/repos/acme/demo/git/ref/heads/main', token)).status).toBe(403);
    const query = JSON.stringify({
      query: '{ repository(owner:"acme",name:"demo") { pullRequest(number: 1) { id } } }',
    });
    const graphql = await fetch(`${world.github.url}/api/graphql`, {
      method: 'POST',
      body: query,
      headers: { authorization: `bearer ${token}` },
    });
    expect(JSON.stringify(await graphql.json())).toContain('Could not resolve to a PullRequest');
  });

  it('reaches only the repositories that it was made for', async () => {
    const { token } = await mint({ repositories: ['demo'] });
    expect((await call('/repos/acme/demo', token)).status).toBe(200);
    expect((await call('/installation/repositories', token)).status).toBe(200);
  });
});

describe('people', () => {
  it('act by their role', async () => {
    const title = JSON.stringify({ title: 'mine', labels: ['x'] });
    const byReader = await call('/repos/acme/demo/issues', world.tokens.reader, {
      method: 'POST',
      body: title,
    });
    expect(byReader.status).toBe(201);
    const made = (await byReader.json()) as { number: number; labels: unknown[] };
    expect(made.labels, 'labels need triage').toEqual([]);
    const path = `/repos/acme/demo/issues/${made.number}`;
    const close = { method: 'PATCH', body: JSON.stringify({ state: 'closed' }) };
    expect((await call(path, world.tokens.reader, close)).status, 'its author').toBe(200);
    const label = { method: 'POST', body: JSON.stringify({ labels: ['x'] }) };
    expect((await call(`${path}/labels`, world.tokens.reader, label)).status).toBe(403);
    expect((await call(`${path}/labels`, world.tokens.writer, label)).status).toBe(200);
    const create = { method: 'POST', body: JSON.stringify({ name: 'n', enforcement: 'active' }) };
    expect((await call('/repos/acme/demo/rulesets', world.tokens.writer, create)).status).toBe(403);
    expect((await call('/repos/acme/demo/rulesets', world.tokens.owner, create)).status).toBe(201);
  });
});

describe('HTTP', () => {
  it('answers 304 to a known ETag, and pages with Link', async () => {
    const { token } = await mint();
    for (const title of ['a', 'b', 'c'])
      await call('/repos/acme/demo/issues', token, { method: 'POST', body: JSON.stringify({ title }) });
    const path = '/repos/acme/demo/issues?state=all&per_page=2';
    const first = await call(path, token);
    const etag = first.headers.get('etag')!;
    expect((await call(path, token, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const link = first.headers.get('link')!;
    expect(link).toContain('page=2>; rel="next"');
    const next = /<([^>]+)>; rel="next"/.exec(link)![1]!;
    expect((await fetch(next, { headers: { authorization: `bearer ${token}` } })).status).toBe(200);
    await call('/repos/acme/demo/issues', token, { method: 'POST', body: '{"title":"more"}' });
    expect((await call(path, token, { headers: { 'if-none-match': etag } })).status).toBe(200);
    expect(first.headers.get('x-ratelimit-limit')).toBe('5000');
  });

  it('counts calls per principal', async () => {
    const before = world.github.store.requests.countsOf('app:ccd');
    const copy = { ...before };
    const { token } = await mint();
    await call('/repos/acme/demo', token);
    await call('/repos/acme/demo/issues', token, { method: 'POST', body: '{"title":"c"}' });
    await fetch(`${world.github.url}/graphql`, {
      method: 'POST',
      body: JSON.stringify({ query: '{ viewer { login } }' }),
      headers: { authorization: `bearer ${token}` },
    });
    const after = world.github.store.requests.countsOf('app:ccd');
    expect([after.read - copy.read, after.write - copy.write, after.content - copy.content]).toEqual([
      2, 1, 1,
    ]);
  });

  it('misbehaves when told to: before, after, torn', async () => {
    const { faults } = world.github.store;
    const { token } = await mint();
    const create = () =>
      call('/repos/acme/demo/issues', token, { method: 'POST', body: '{"title":"fault"}' });
    const count = () => world.repo.issues.size;
    const start = count();
    let off = faults.before('issues/create', () => Promise.resolve({ status: 502 }));
    expect((await create()).status).toBe(502);
    expect(count()).toBe(start);
    off();
    off = faults.after('issues/create', () => Promise.resolve({ status: 502 }));
    expect((await create()).status).toBe(502);
    expect(count()).toBe(start + 1);
    off();
    off = faults.after('issues/create', () => Promise.resolve({ reset: true }));
    await expect(create()).rejects.toThrow();
    expect(count()).toBe(start + 2);
    off();
    const stop = faults.after('git.push', () => Promise.resolve({ reset: true }));
    const { token: pusher } = await mint();
    const pushed = await world.sh(
      `git clone -q "${world.remote(pusher)}" w && cd w && git push origin HEAD:lost`,
    );
    expect(pushed.code).not.toBe(0);
    expect(await world.repo.git.ref('refs/heads/lost'), 'the effect stands').not.toBeNull();
    stop();
  });
});
