import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { processesOf } from '../../../src/cli/demo/leftovers.ts';
import { ccd } from './support/run-cli.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-interrupted-'));
  await mkdir(join(dir, 'tmp'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Sends a signal once standard error, or a process that was started, shows what phase it is, and waits for the end. */
async function interrupt(args: readonly string[], phase: RegExp, signal: NodeJS.Signals) {
  const [program, ...rest] = ccd(...args);
  const child = execa(program, rest, {
    cwd: dir,
    reject: false,
    env: { TMPDIR: join(dir, 'tmp') },
    timeout: 50_000,
  });
  let seen = '';
  child.stderr.on('data', (chunk: Buffer) => {
    seen += chunk.toString('utf8');
  });
  const ended = child.then(() => true);
  const look = () => new Promise<boolean>((resolve) => setTimeout(resolve, 20, false));
  while (!phase.test(seen) && !processesOf(dir).some((pid) => phase.test(commandOf(pid))))
    if (await Promise.race([ended, look()])) break;
  child.kill(signal);
  return child;
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // Gone meanwhile.
    return '';
  }
}

it.each([
  ['SIGINT', /local GitHub at/],
  ['SIGTERM', /init: labels/],
  ['SIGINT', /init: waiting for test/],
  ['SIGHUP', /init: rulesets/],
  ['SIGTERM', /#2 fix running/],
] as const)('%s at %s leaves no process and no folder', async (signal, phase) => {
  const run = await interrupt(['demo', '--json'], phase, signal);
  expect(run.exitCode).toBe(128 + constants.signals[signal]);
  expect(JSON.parse(run.stdout)).toMatchObject({ error: { code: 'demo.interrupted' } });
  expect(run.stderr.split('\n').at(-1)).toMatch(/^ccd: The demonstration was interrupted\. /);
  expect(await readdir(join(dir, 'tmp'))).toEqual([]);
  expect(processesOf(dir)).toEqual([]);
});

it('a judgement that is interrupted takes the tests that it executes with it', async () => {
  const git = (...args: string[]) =>
    execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: join(dir, 'repo'),
    });
  await mkdir(join(dir, 'repo', 'test'), { recursive: true });
  await git('init', '--quiet');
  const put = (path: string, text: string) => writeFile(join(dir, 'repo', path), text);
  const test =
    "import { test } from 'node:test';\ntest('waits', () => new Promise((end) => setTimeout(end, 40_000)));\n";
  await put('test/a.test.js', test);
  await put('package.json', '{"type":"module"}');
  await put('a.js', '1;\n');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'one');
  await put('a.js', '2;\n');
  await git('commit', '--quiet', '--all', '--message', 'two');
  await put(
    '../spec.json',
    JSON.stringify({ kind: 'refactor', allowed_paths: ['a.js'], test_command: 'node --test' }),
  );
  const args = ['guard', '--repo', 'repo', '--base', 'HEAD^', '--spec', 'spec.json'];
  const run = await interrupt(args, /a\.test\.js/, 'SIGINT');
  expect(run.exitCode).toBe(130);
  expect(await readdir(join(dir, 'tmp'))).toEqual([]);
  expect(processesOf(dir)).toEqual([]);
});
