import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createApp, installApp } from '../../../src/local/seed.ts';
import { type LocalWorld, openWorld } from '../../contract/support/local-world.ts';

const r = { owner: 'acme', repo: 'demo' };
let world: LocalWorld;

beforeEach(async () => {
  world = await openWorld({ validate: 'collect' });
});

afterEach(async () => {
  expect(world.github.contract!.violations).toEqual([]);
  await world.close();
});

const idle = () => world.github.deliveries.idle();
const issue = (title: string) => world.asApp.rest.issues.create({ ...r, title });
const titles = () =>
  world.hooks.map((hook) => (JSON.parse(hook.body) as { issue: { title: string } }).issue.title);

it('signs deliveries and names repository, sender and installation', async () => {
  await issue('one');
  await idle();
  const [hook] = world.hooks;
  const signature = createHmac('sha256', 'secret').update(hook!.body).digest('hex');
  expect(hook!.signature).toBe(`sha256=${signature}`);
  const body = JSON.parse(hook!.body) as Record<string, Record<string, unknown>>;
  expect([hook!.event, body.action, body.repository!.full_name]).toEqual(['issues', 'opened', 'acme/demo']);
  expect([body.sender!.login, body.installation!.id]).toEqual(['ccd[bot]', world.installation.id]);
});

it('goes to subscribed and installed apps only', async () => {
  world.app.events = ['push'];
  await issue('one');
  await idle();
  expect(world.hooks).toEqual([]);
});

it('drops, doubles and reorders when told to, and keeps a list of all', async () => {
  const { deliveries } = world.github;
  deliveries.setPolicy({ drop: () => true });
  await issue('dropped');
  await idle();
  expect(world.hooks).toEqual([]);
  expect(deliveries.list.map((one) => one.outcome)).toEqual(['dropped']);
  deliveries.setPolicy({ duplicate: () => true });
  await issue('twice');
  await idle();
  expect(titles()).toEqual(['twice', 'twice']);
  expect(world.hooks[0]!.guid).toBe(world.hooks[1]!.guid);
  deliveries.setPolicy({ reorder: (one) => JSON.stringify(one.payload).includes('first') });
  await issue('first');
  await issue('second');
  await idle();
  expect(titles().slice(2)).toEqual(['second', 'first']);
  deliveries.redeliver(deliveries.list[0]!);
  await idle();
  expect(titles().at(-1)).toBe('dropped');
});

it('does not retry a receiver that is away', async () => {
  world.app.webhookUrl = 'http://127.0.0.1:1/';
  await issue('lost');
  await idle();
  expect(world.github.deliveries.list[0]!.outcome).toHaveProperty('error');
});

it('tells of pushes, branches and tags, but of no other namespace', async () => {
  await world.sh(
    `git clone -q "${world.remote(world.tokens.writer)}" w && cd w && git commit -q --allow-empty -m two
     git push -q origin HEAD:refs/heads/b HEAD:refs/ccd/x && git push -q origin :b && git tag t && git push -q origin t`,
  );
  await idle();
  const seen = world.hooks.map((hook) => {
    const body = JSON.parse(hook.body) as { ref: string; deleted?: boolean };
    return `${hook.event} ${body.ref}${body.deleted ? ' deleted' : ''}`;
  });
  expect(seen).toEqual([
    'create b',
    'push refs/heads/b',
    'delete b',
    'push refs/heads/b deleted',
    'create t',
    'push refs/tags/t',
  ]);
});

it('tells listeners in the process who pushed, so that job tokens start nothing', async () => {
  const seen: string[] = [];
  world.github.store.events.on('push', (event) => seen.push(`${event.ref} ${event.actor.via}`));
  const token = world.github.store.createJobToken({
    repo: world.repo,
    permissions: { contents: 'write' },
    runId: 7,
  });
  await world.sh(
    `git clone -q "${world.remote(token)}" w && cd w && git commit -q --allow-empty -m two && git push -q origin HEAD:job`,
  );
  expect(seen).toEqual(['refs/heads/job job']);
});

// GitHub documentation, webhooks, check_run and check_suite: `rerequested` goes to the app that owns the check alone.
it('tells of a re-run only the app whose check it is', async () => {
  const { store, deliveries } = world.github;
  const other = createApp(store, {
    slug: 'other',
    owner: world.owner,
    permissions: { checks: 'read' },
    events: ['check_run', 'check_suite'],
    webhookUrl: world.app.webhookUrl,
  });
  installApp(store, other, world.owner);
  const { checks } = world.asApp.rest;
  const head_sha = (await world.repo.git.ref('refs/heads/main'))!;
  const run = (await checks.create({ ...r, name: 'mine', head_sha, conclusion: 'success' })).data;
  await checks.rerequestRun({ ...r, check_run_id: run.id });
  await checks.rerequestSuite({ ...r, check_suite_id: run.check_suite!.id });
  await idle();
  const heard = (slug: string) =>
    deliveries.list.filter((one) => one.appSlug === slug).map((one) => `${one.event}.${one.action}`);
  expect(heard('other')).toEqual(['check_run.created', 'check_run.completed']);
  expect(heard('ccd')).toEqual([
    'check_run.created',
    'check_run.completed',
    'check_run.rerequested',
    'check_suite.rerequested',
  ]);
});

it('does not follow a receiver that sends on, and does not read one to no end', async () => {
  const asked: string[] = [];
  const receiver = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (asked.length === 1) response.writeHead(307, { location: '/elsewhere' }).end();
    else {
      const timer = setInterval(() => response.write(Buffer.alloc(100_000)), 1);
      response.on('close', () => clearInterval(timer));
    }
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  world.app.webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  await issue('one');
  await issue('two');
  await idle();
  expect(asked).toEqual(['/hook', '/hook']);
  expect(world.github.deliveries.list.map((one) => one.outcome)).toEqual([{ status: 307 }, { status: 200 }]);
  receiver.closeAllConnections();
  receiver.close();
});

it('remembers the newest ten thousand', () => {
  const { deliveries } = world.github;
  deliveries.inspect = () => undefined;
  deliveries.setPolicy({ drop: () => true });
  for (let index = 0; index < 10_500; index += 1)
    deliveries.sendTo(world.installation, 'installation', 'suspend', { index });
  expect(deliveries.list.length).toBeLessThanOrEqual(10_000);
  expect(deliveries.list.length).toBeGreaterThanOrEqual(9_000);
  expect(deliveries.list.at(-1)!.payload.index).toBe(10_499);
});
