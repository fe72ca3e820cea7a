import { createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../../src/app/config.ts';
import { openDoors } from '../../src/app/open-repository.ts';
import { type RunningApp, serve, webhookPath } from '../../src/app/serve.ts';
import { type LocalWorld, openWorld } from './support/local-world.ts';

/** Payloads recorded on github.com, with their event: `@octokit/webhooks-examples`. None of issue_dependencies is among them. */
const recorded = z
  .array(z.object({ name: z.string(), examples: z.array(z.record(z.string(), z.unknown())) }))
  .parse(createRequire(import.meta.url)('@octokit/webhooks-examples'));
const NOT_RECORDED = ['issue_dependencies'];
/** Come to every app, whatever it subscribes to. */
const ALWAYS = ['installation', 'installation_repositories', 'ping', 'meta', 'github_app_authorization'];
const SECRET = 'secret-secret';

let world: LocalWorld;
let app: RunningApp;
let data: string;
const complaints: string[] = [];
let wanted: string[];

beforeAll(async () => {
  world = await openWorld();
  data = await mkdtemp(join(tmpdir(), 'ccd-examples-'));
  const manifest = z.object({ default_events: z.array(z.string()) });
  const text = await readFile(new URL('../../app.yml', import.meta.url), 'utf8');
  wanted = [...manifest.parse(parse(text)).default_events, ...ALWAYS];
  const complain = (message: string, fields?: object) =>
    void complaints.push(`${message} ${JSON.stringify(fields ?? {})}`);
  const config = readConfig({
    APP_ID: String(world.app.id),
    PRIVATE_KEY: world.app.privateKey,
    WEBHOOK_SECRET: SECRET,
    PORT: '0',
    CCD_API_URL: `${world.github.url}/api/v3`,
    CCD_GIT_URL: world.github.url,
    CCD_DATA: data,
  });
  const log = { debug() {}, info() {}, warn: complain, error: complain };
  const judge = () => Promise.reject(new Error('nothing is judged here'));
  app = await serve(openDoors(config, log, judge, async () => undefined));
  // Its first pass finds a repository that was not set up, and says so once.
  while (complaints.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  complaints.splice(0);
});
afterAll(async () => {
  await app.close();
  await world.close();
  await rm(data, { recursive: true, force: true });
});

async function deliver(event: string, body: string, signature = sign(body)): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${app.port}${webhookPath}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': '11111111-2222-3333-4444-555555555555',
      'x-hub-signature-256': signature,
    },
  });
  return answer.status;
}

const sign = (body: string): string => `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
const health = async () => (await fetch(`http://127.0.0.1:${app.port}/health`)).json();

it('takes every recorded example of the events that it hears, and does not stumble', async () => {
  const before = await health();
  let taken = 0;
  const names = new Set<string>();
  for (const { name, examples } of recorded.filter((one) => wanted.includes(one.name)))
    for (const example of examples) {
      expect(await deliver(name, JSON.stringify(example)), `${name} ${taken}`).toBe(200);
      taken += 1;
      names.add(name);
    }
  expect(wanted.filter((name) => !names.has(name))).toEqual(NOT_RECORDED);
  expect(complaints).toEqual([]);
  expect(await health()).toEqual(before);
  process.stdout.write(
    `contract: ${taken} recorded webhooks of ${names.size} events taken; ${NOT_RECORDED.join(', ')} is not recorded\n`,
  );
  expect(taken).toBeGreaterThan(100);
});

it.each([
  ['no repository', 'issues', '{"action":"opened","issue":{"number":1}}'],
  ['a repository that is no object', 'issues', '{"action":"opened","repository":7}'],
  ['a name that is no text', 'push', '{"repository":{"full_name":{"a":1}},"sender":null}'],
  ['a name that is served by nobody', 'push', '{"repository":{"full_name":"../../etc/passwd"}}'],
  ['a name of the prototype', 'push', '{"repository":{"full_name":"__proto__"},"sender":{"type":"Bot"}}'],
])('takes %s without harm', async (_, event, body) => {
  expect(await deliver(event, body)).toBe(200);
  expect(complaints).toEqual([]);
});

it.each([
  ['a wrong signature', '{"action":"opened"}', 'sha256=00'],
  ['no JSON', 'x=1', undefined],
])('refuses %s', async (_, body, signature) => {
  expect(await deliver('issues', body, signature ?? sign(body))).toBe(400);
});
