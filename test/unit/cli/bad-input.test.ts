import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';

const cli = join(import.meta.dirname, '..', '..', '..', 'dist', 'cli', 'ccd.mjs');
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-bad-input-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

it.each([
  ['an unknown option', ['demo', '--bogus'], /unknown option '--bogus'/],
  ['a task without a repository', ['demo', '--spec', 'x.md'], /--spec needs --repo/],
  ['no agent for an own repository', ['demo', '--repo', '.'], /There is no agent/],
  [
    'a spec that is not there',
    ['demo', '--repo', '.', '--spec', 'no.md', '--agent', '/bin/true'],
    /cannot be read/,
  ],
  [
    'a folder that is no repository',
    ['guard', '--base', 'a', '--head', 'b', '--spec', 'no'],
    /no git repository/,
  ],
  ['a port that is none', ['local', '--port', 'x'], /is no port/],
  ['a name that is no repository', ['status', '--repo', 'x'], /is no repository/],
  ['no settings', ['serve'], /Missing or wrong: APP_ID/],
])('%s ends with 2 and one clear sentence', async (_name, args, sentence) => {
  const run = await execa(process.execPath, [cli, ...args], {
    cwd: dir,
    reject: false,
    extendEnv: false,
    env: { PATH: process.env.PATH ?? '' },
  });
  expect(run.exitCode).toBe(2);
  expect(run.stderr).toMatch(sentence);
  expect(run.stdout).toBe('');
});
