import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ccd, cli, runIn } from './support/run-cli.ts';

let dir: string;
let taken: Server;
let port: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-bad-input-'));
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  port = String((taken.address() as AddressInfo).port);
  await writeFile(join(dir, 'file'), 'x\n');
  await writeFile(join(dir, 'claude'), '#!/bin/sh\n', { mode: 0o755 });
});
afterAll(async () => {
  taken.close();
  await rm(dir, { recursive: true, force: true });
});

const bad: [string, string[], RegExp][] = [
  ['an unknown option', ['demo', '--bogus'], /^ccd: Unknown option '--bogus'\./],
  ['an unknown command', ['bogus'], /^ccd: Unknown command 'bogus'\./],
  ['a needed option that is not there', ['guard', '--base', 'a'], /option '--spec <file>' not specified/],
  ['a task without a repository', ['demo', '--spec', 'x.md'], /--spec needs --repo/],
  ['results without a repository', ['demo', '--out', 'x'], /--out needs --repo/],
  ['no agent for an own repository', ['demo', '--repo', '.'], /There is no agent/],
  ['an agent that is not there', ['demo', '--agent', 'no-such-agent'], /is no executable/],
  ['the real agent without a key', ['demo', '--agent', './claude'], /There is no key for claude/],
  [
    'a repository that is not there',
    ['demo', '--repo', 'no', '--spec', 'x', '--agent', '/bin/true'],
    /no folder/,
  ],
  [
    'a folder that is no repository',
    ['guard', '--base', 'a', '--head', 'b', '--spec', 'no'],
    /no git repository/,
  ],
  ['a spec that is not there', ['spec', 'no.md'], /cannot be read \(ENOENT\)/],
  ['a port that is none', ['local', '--port', 'x'], /is no port/],
  ['a place for data that is none', ['local', '--data', 'file/x'], /a part of the path is no folder/],
  ['a checkout that is not there', ['init', '--scaffold', 'no'], /There is no folder/],
  ['an action that is none', ['init', '--scaffold', '.', '--action', 'x'], /is no action/],
  ['a name that is no repository', ['status', '--repo', 'x'], /is no repository/],
  ['no settings', ['serve'], /Missing or wrong: APP_ID/],
];

it.each(bad)('%s ends with 2 and one clear sentence', async (_name, args, sentence) => {
  const run = await runIn(dir, ccd(...args));
  expect(run.stderr).toMatch(sentence);
  expect(run.stderr).toMatch(/^ccd: .*[.]$/);
  expect([run.exitCode, run.stdout, await readdir(join(dir, 'tmp'))]).toEqual([2, '', []]);
});

it.each(bad)('%s is one document with --json', async (_name, args, sentence) => {
  const run = await runIn(dir, ccd(...args, '--json'));
  const { error } = JSON.parse(run.stdout) as { error: { code: string; message: string; remedy: string } };
  expect(`ccd: ${error.message} ${error.remedy}`).toMatch(sentence);
  expect(run.stderr).toBe(`ccd: ${error.message} ${error.remedy}`);
  expect(error.code).toMatch(/^[a-z]+\.[a-z-]+$/);
  expect(run.exitCode).toBe(2);
});

it('a port in use is named, by the local GitHub and by the app', async () => {
  const local = await runIn(dir, ccd('local', '--port', port));
  expect([local.exitCode, local.stderr]).toEqual([
    2,
    `ccd: Port ${port} is in use. Give another one with --port.`,
  ]);
  const settings = { APP_ID: '1', PRIVATE_KEY: await newKey(), WEBHOOK_SECRET: 'a-long-secret', PORT: port };
  const app = await runIn(dir, ccd('serve', '--json'), settings);
  expect(JSON.parse(app.stdout)).toMatchObject({ error: { code: 'app.port-in-use' } });
  expect([app.exitCode, app.timedOut]).toEqual([2, false]);
});

it('the scaffold names the action that the workflows are to use', async () => {
  const checkout = join(dir, 'fresh');
  await mkdir(checkout);
  const action = `acme/ccd@${'a'.repeat(40)}`;
  const run = await runIn(dir, ccd('init', '--scaffold', checkout, '--action', action));
  expect(run.exitCode).toBe(0);
  for (const name of ['ccd-worker.yml', 'ccd-guard.yml']) {
    const text = await readFile(join(checkout, '.github', 'workflows', name), 'utf8');
    expect(text).toContain(`uses: ${action}\n`);
    expect(text).not.toContain('ccd-dev/ccd');
  }
});

it('a disk that is full in the middle of the scaffold ends with 70 and leaves nothing', async () => {
  const checkout = join(dir, 'checkout');
  const folder = join(checkout, '.github', 'ISSUE_TEMPLATE');
  await mkdir(folder, { recursive: true });
  // What is written through it is what a full disk answers.
  await symlink('/dev/full', join(folder, '.ccd-task.yml.tmp'));
  const run = await runIn(dir, ccd('init', '--scaffold', checkout, '--json'));
  expect(JSON.parse(run.stdout)).toMatchObject({ error: { code: 'host.disk-full' } });
  expect(run.stderr).toMatch(/^ccd: The disk is full: .*\.$/);
  expect(run.exitCode).toBe(70);
  expect(await readdir(join(checkout, '.github'))).toEqual(['ISSUE_TEMPLATE']);
  expect(await readdir(folder)).toEqual([]);
});

it.each(['spec file --json', '--help', 'demo --bogus --json'])(
  'a standard output without room: %s',
  async (line) => {
    const run = await runIn(dir, ['sh', '-c', `${process.execPath} ${cli} ${line} >/dev/full`]);
    expect(run.stderr).not.toMatch(/\n +at /);
    expect(run.exitCode).toBe(line.includes('bogus') ? 2 : 70);
  },
);

it('a reader that goes away ends nothing badly', async () => {
  const run = await runIn(dir, ['sh', '-c', `${process.execPath} ${cli} --help | head -n 1`]);
  expect([run.exitCode, run.stderr, run.stdout]).toEqual([0, '', 'Usage: ccd [options] [command]']);
});

async function newKey(): Promise<string> {
  const { generateKeyPairSync } = await import('node:crypto');
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;
}
