import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FaultPlan } from '../../../src/local/faults/fault-plan.ts';
import { playPlan } from '../../../src/local/faults/play-plan.ts';
import { createApp, createRepo, createUser, installApp } from '../../../src/local/seed.ts';
import { type LocalGitHub, open } from '../../../src/local/server.ts';

const HOUR = 3_600_000;
let folder: string;
let github: LocalGitHub;
let now = Date.now();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccd-tokens-'));
  github = await open({
    dataDir: join(folder, 'data'),
    now: () => now,
    // Waiting is what makes the time pass.
    wait: async (ms) => {
      now += ms;
    },
  });
});
afterAll(async () => {
  await github.close();
  await rm(folder, { recursive: true, force: true });
});

it('a token that ends while its request is under way was good when it came; the next request is refused', async () => {
  const { store } = github;
  const acme = createUser(store, 'acme', 'Organization');
  const repo = await createRepo(store, { owner: acme, name: 'demo' });
  const app = createApp(store, { slug: 'ccd', owner: acme, permissions: { issues: 'write' } });
  const installation = installApp(store, app, acme);
  const octokit = new Octokit({
    baseUrl: `${store.origin}/api/v3`,
    authStrategy: createAppAuth,
    auth: { appId: app.id, privateKey: app.privateKey, installationId: installation.id },
    request: { fetch: github.fetch },
  });
  const { token } = (await octokit.auth({ type: 'installation' })) as { token: string };
  const create = async (title: string): Promise<number> => {
    const answer = await github.fetch(`${store.origin}/api/v3/repos/acme/demo/issues`, {
      method: 'POST',
      headers: { authorization: `token ${token}` },
      body: JSON.stringify({ title }),
    });
    return answer.status;
  };
  const { deliveries } = github;
  const rules = [
    { kind: 'slow', on: 'issues/create', ms: 2 * HOUR, calls: [2] },
    { kind: 'clock-jump', on: 'issues/create', ms: -3 * HOUR, calls: [4] },
  ];
  const play = playPlan({ store, deliveries }, FaultPlan.parse({ seed: 1, rules }));
  expect([await create('at first'), await create('on the way'), await create('late')]).toEqual([
    201, 201, 401,
  ]);
  // The fourth call comes with a token that is over, and turns the clock back while it is judged.
  expect([await create('turns back'), await create('good again')]).toEqual([401, 201]);
  play.stop();
  expect([...repo.issues.values()].map((issue) => issue.title)).toEqual([
    'at first',
    'on the way',
    'good again',
  ]);
});
