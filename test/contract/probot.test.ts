import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createNodeMiddleware, createProbot } from 'probot';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalWorld, openWorld } from './support/local-world.ts';

let world: LocalWorld;
let close: () => Promise<void>;
const handled: string[] = [];

beforeAll(async () => {
  world = await openWorld();
  const probot = createProbot({
    overrides: {
      appId: world.app.id,
      privateKey: world.app.privateKey,
      secret: 'secret',
      baseUrl: `${world.github.url}/api/v3`,
      logLevel: 'fatal',
    },
  });
  const middleware = await createNodeMiddleware(
    (app) => {
      app.on('issues.labeled', async (context) => {
        handled.push(context.id);
        await context.octokit.rest.issues.createComment(context.issue({ body: 'seen' }));
        const answer = await context.octokit.graphql<{ viewer: { login: string } }>('{ viewer { login } }');
        handled.push(answer.viewer.login);
      });
    },
    { probot, webhooksPath: '/hooks' },
  );
  const server = createServer((request, response) => void middleware(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  world.app.webhookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
});

afterAll(async () => {
  await close();
  await world.close();
});

it('Probot, unchanged, hears a webhook and answers through REST and GraphQL', async () => {
  const { issues } = world.asWriter.rest;
  const { number } = (
    await issues.create({ owner: 'acme', repo: 'demo', title: 'T', labels: ['ccd:dispatch'] })
  ).data;
  await world.github.deliveries.idle();
  const comments = (await issues.listComments({ owner: 'acme', repo: 'demo', issue_number: number })).data;
  expect(comments.map((one) => [one.body, one.user?.login])).toEqual([['seen', 'ccd[bot]']]);
  expect(handled[1]).toBe('ccd');
  const outcomes = world.github.deliveries.list
    .filter((one) => one.action === 'labeled')
    .map((one) => one.outcome);
  expect(outcomes).toEqual([{ status: 200 }]);
  expect(world.github.contract!.violations).toEqual([]);
  expect(world.github.store.crashes).toEqual([]);
});
