import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalWorld, openWorld } from '../../contract/support/local-world.ts';

let world: LocalWorld;
let octokit: Octokit;
const r = { owner: 'acme', repo: 'demo' };
const former = { owner: 'acme', repo: 'former' };

beforeAll(async () => {
  world = await openWorld();
  const baseUrl = `${world.github.url}/api/v3`;
  octokit = new Octokit({ baseUrl, auth: world.tokens.owner, request: { fetch: world.github.fetch } });
  await octokit.rest.repos.createInOrg({ org: 'acme', name: 'former' });
  await octokit.rest.repos.update({ ...former, name: 'present' });
});
afterAll(() => world.close());

it('goes where a former name leads, with method and body, as over a socket', async () => {
  expect((await octokit.rest.repos.get(former)).data.name).toBe('present');
  const { data } = await octokit.rest.issues.create({ ...former, title: 'sent on' });
  expect([data.title, data.number]).toEqual(['sent on', 1]);
  expect((await world.asOwner.rest.issues.get({ ...former, issue_number: 1 })).data.title).toBe('sent on');
});

it('does not go when it is told not to', async () => {
  const ask = (redirect: NonNullable<RequestInit['redirect']>) =>
    world.github.fetch(`${world.github.url}/api/v3/repos/acme/former`, {
      redirect,
      headers: { authorization: `Bearer ${world.tokens.owner}` },
    });
  expect((await ask('manual')).status).toBe(301);
  await expect(ask('error')).rejects.toThrow('fetch failed');
});

it('answers like a response of the platform, whichever way its body is read', async () => {
  const ask = () => world.github.fetch(new Request(`${world.github.url}/api/v3/repos/acme/demo`));
  const text = await (await ask()).text();
  expect(JSON.parse(text)).toEqual(await (await ask()).json());
  expect(Buffer.from(await (await ask()).arrayBuffer()).toString('utf8')).toBe(text);
  expect(await new Response((await ask()).body).text()).toBe(text);
  expect((await ask()).headers.get('content-type')).toMatch(/^application\/json/);
});

it('ends with the reason of a signal, before and during the call', async () => {
  await expect(
    octokit.request('GET /repos/{owner}/{repo}', { ...r, request: { signal: AbortSignal.abort() } }),
  ).rejects.toMatchObject({ name: 'AbortError' });
  const off = world.github.store.faults.before('repos/get', () => ({ delayMs: 5_000 }));
  const late = world.github.fetch(`${world.github.url}/api/v3/repos/acme/demo`, {
    signal: AbortSignal.timeout(50),
  });
  await expect(late).rejects.toMatchObject({ name: 'TimeoutError' });
  off();
});
