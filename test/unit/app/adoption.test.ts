import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/app/config.ts';
import { openDoors } from '../../../src/app/open-repository.ts';
import { type RunningApp, serve } from '../../../src/app/serve.ts';
import { type LocalWorld, openWorld } from '../../contract/support/local-world.ts';

let world: LocalWorld;
let data: string;
let app: RunningApp | null = null;
beforeAll(async () => {
  world = await openWorld();
  data = await mkdtemp(join(tmpdir(), 'ccd-adoption-'));
});
afterEach(async () => {
  await app?.close();
  app = null;
});
afterAll(async () => {
  await world.close();
  await rm(data, { recursive: true, force: true });
});

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** The app in this process, on the world's GitHub unless told otherwise. */
async function start(over: Record<string, string> = {}): Promise<RunningApp> {
  const config = readConfig({
    APP_ID: String(world.app.id),
    PRIVATE_KEY: world.app.privateKey,
    WEBHOOK_SECRET: 'secret-secret',
    PORT: '0',
    CCD_API_URL: `${world.github.url}/api/v3`,
    CCD_GIT_URL: world.github.url,
    CCD_DATA: data,
    CCD_SWEEP_MS: '300',
    CCD_REST_MS: '10',
    ...over,
  });
  const judge = () => Promise.reject(new Error('nothing is judged here'));
  app = await serve(openDoors(config, quiet, judge, async () => undefined));
  return app;
}

async function health(
  port: number,
): Promise<{ status: number; ok: boolean; problem: string | null; names: string[] }> {
  const answer = await fetch(`http://127.0.0.1:${port}/health`);
  const { ok, problem, repositories } = (await answer.json()) as {
    ok: boolean;
    problem: string | null;
    repositories: { name: string }[];
  };
  return { status: answer.status, ok, problem, names: repositories.map(({ name }) => name) };
}

/** Asks for the health until it is as wanted. */
async function healthy(port: number, wanted: (seen: Awaited<ReturnType<typeof health>>) => boolean) {
  for (;;) {
    const seen = await health(port);
    if (wanted(seen)) return seen;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('the repositories that the app serves', () => {
  it('an app id or key that GitHub refuses ends it, and leaves no server behind', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const port = await freePort();
    await expect(start({ PRIVATE_KEY: privateKey, PORT: String(port) })).rejects.toMatchObject({
      code: 'github.unauthorized',
    });
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
  });

  it('a GitHub that does not answer is waited for, with red health until then', async () => {
    const heal = world.github.store.faults.before('apps/list-installations', () => ({ reset: true }));
    const running = await start();
    const red = await health(running.port);
    expect(red).toMatchObject({ status: 503, ok: false, names: [] });
    expect(red.problem).toMatch(/github\.unclear/);
    heal();
    const found = await healthy(running.port, ({ names }) => names.includes('acme/demo'));
    expect(found.problem).toBeNull();
  });

  it('one that is installed later is found, and one that is gone is dropped, without any webhook', async () => {
    const running = await start();
    await healthy(running.port, ({ names }) => names.includes('acme/demo'));
    world.installation.repositories = new Set();
    await healthy(running.port, ({ names }) => names.length === 0);
    world.installation.repositories = 'all';
    await healthy(running.port, ({ names }) => names.includes('acme/demo'));
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
