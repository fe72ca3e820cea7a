import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processesMarked } from '../../../../src/local/actions/runner/process-table.ts';
import type { RunRecord } from '../../../../src/local/actions/runs/records.ts';
import { runGit } from '../../../../src/local/git/run-git.ts';
import { type ActionsWorld, jobOf, logText, openWorld, processesOf } from './support/actions-world.ts';

/** Looks again and again, as often as the machine allows, until a condition holds. */
async function until(what: string, holds: () => boolean): Promise<void> {
  const end = Date.now() + 20_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const hanging = (mark: string) => `
on: push
jobs:
  a:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    env: {MARK: ${mark}}
    steps:
      - run: |
          (setsid sleep 600 >/dev/null 2>&1 &)
          echo started
          while [ ! -e "\${{ vars.GATE || '/none' }}" ]; do sleep 0.05; done
          echo finished
`;

describe('a runner that misbehaves when told to', () => {
  let world: ActionsWorld;
  beforeAll(async () => {
    world = await openWorld();
    world.runner();
  });
  afterAll(() => world.close());

  async function begin(mark: string): Promise<RunRecord> {
    world.repo.variables.set('GATE', join(world.scratch, mark));
    const sha = await world.push({ '.github/workflows/ci.yml': hanging(mark) });
    const run = await world.actions.waitForRun((one) => one.cause.headSha === sha);
    return world.actions.waitFor(run.id, (one) => /^started$/m.test(logText(jobOf(one, 'a'))));
  }
  const open = (mark: string) => writeFile(join(world.scratch, mark), '');

  it('is lost: the job fails as GitHub says it, its processes go on, and what they report no longer counts', async () => {
    const run = await begin('lost');
    const job = jobOf(run, 'a');
    expect(world.actions.loseRunner(job.id)).toBe(true);
    await world.actions.completed(run.id);
    expect([run.conclusion, job.conclusion]).toEqual(['failure', 'failure']);
    expect(job.annotations.at(-1)?.message).toMatch(
      /^The self-hosted runner: .* lost communication with the server\./,
    );
    expect(processesOf(job).length).toBeGreaterThan(0);
    expect(world.actions.loseRunner(job.id)).toBe(false);
    await open('lost');
    await world.actions.runners[0]!.gone(job);
    expect(logText(job)).toContain('\nfinished');
    expect([job.conclusion, processesOf(job)]).toEqual(['failure', []]);
  });

  it('sticks: the job does not end with its steps, only by a cancellation', async () => {
    const run = await begin('stuck');
    const job = jobOf(run, 'a');
    expect(world.actions.stickJob(job.id)).toBe(true);
    await open('stuck');
    await world.actions.waitFor(run.id, () => job.steps.at(-1)?.conclusion === 'success');
    await world.runWorkflow('on: push\njobs:\n  b: {runs-on: ubuntu-latest, steps: [{run: echo another}]}\n');
    expect([run.status, job.status]).toEqual(['in_progress', 'in_progress']);
    world.actions.engine.cancel(run, false);
    await world.actions.completed(run.id);
    expect([run.conclusion, job.conclusion]).toEqual(['cancelled', 'cancelled']);
    expect(world.actions.stickJob(job.id)).toBe(false);
  });

  it('tells of each job that it takes up, so that it can be lost at once', async () => {
    const heard: string[] = [];
    const off = world.actions.onJobStarted((job) => {
      heard.push(`${job.name} by ${job.by}`);
      world.actions.loseRunner(job.id);
    });
    const run = await world.runWorkflow(
      'on: push\njobs:\n  c: {runs-on: ubuntu-latest, steps: [{run: echo x}]}\n',
    );
    off();
    expect([heard, run.conclusion]).toEqual([['c by user:ada'], 'failure']);
  });
});

/** Each process starts two others and ends, and so on: whoever is killed has its successors already. Sixteen rows at most. */
const FORKS = `
on: push
jobs:
  a:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    steps:
      - run: |
          fork() { [ "$1" -gt 0 ] && { fork $(( $1 - 1 )) & fork $(( $1 - 3 )) & }; sleep 0.2; [ -e "\${{ vars.GATE }}" ] || exec sleep 600; }
          relay() { sleep 0.01; [ -e "\${{ vars.GATE }}" ] || (relay &) ; }
          fork 9 >/dev/null 2>&1 &
          (setsid bash -c "$(declare -f relay); relay" >/dev/null 2>&1 &)
          echo started
          sleep 600
`;

describe('a job that starts processes without end', () => {
  it.each(['auto', 'off'] as const)(
    'ends with all of them when it is cancelled (namespaces: %s)',
    async (namespace) => {
      const world = await openWorld();
      world.runner({ namespace, cancelGrace: 1_000 });
      const gate = join(world.scratch, 'gate');
      world.repo.variables.set('GATE', gate);
      try {
        const sha = await world.push({ '.github/workflows/ci.yml': FORKS });
        const run = await world.actions.waitForRun((one) => one.cause.headSha === sha);
        await world.actions.waitFor(run.id, (one) => /^started$/m.test(logText(jobOf(one, 'a'))));
        const job = jobOf(run, 'a');
        await until('many processes', () => processesOf(job).length > 60);
        world.actions.engine.cancel(run, false);
        await world.actions.completed(run.id);
        expect([run.conclusion, processesOf(job)]).toEqual(['cancelled', []]);
      } finally {
        // What a failure leaves must not go on.
        await writeFile(gate, '');
        await world.close();
      }
    },
    60_000,
  );
});

describe('a server that is killed', () => {
  let scratch: string;
  let program: string;
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'ccd-killed-'));
    program = join(scratch, 'serve.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('./support/serve.ts', import.meta.url))],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'error',
      banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
    });
  });
  afterAll(() => rm(scratch, { recursive: true, force: true }));

  async function serve(namespace: string): Promise<{ child: ChildProcess; url: string; token: string }> {
    const child = spawn(process.execPath, [program, join(scratch, namespace), namespace], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout!, 'data')) as [Buffer];
    return { child, ...(JSON.parse(line.toString('utf8')) as { url: string; token: string }) };
  }

  async function pushTo(url: string, token: string, folder: string, mark: string): Promise<void> {
    await mkdir(join(folder, '.github/workflows'), { recursive: true });
    await writeFile(join(folder, '.github/workflows/ci.yml'), hanging(mark));
    const target = `${url.replace('://', `://x:${token}@`)}/ada/demo.git`;
    for (const args of [
      ['init', '-q', '-b', 'main'],
      ['add', '-A'],
      ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-q', '-m', 'Hang'],
      ['push', '-q', target, 'main'],
    ])
      expect((await runGit(args, { cwd: folder })).code).toBe(0);
  }

  it.each(['auto', 'off'])('takes its jobs with it (namespaces: %s)', async (namespace) => {
    const { child, url, token } = await serve(namespace);
    const mark = `m${process.pid}-${namespace}`;
    await pushTo(url, token, join(scratch, `work-${namespace}`), mark);
    await until('the job runs', () => processesMarked(`MARK=${mark}`).length >= 3);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await until('no process is left', () => processesMarked(`MARK=${mark}`).length === 0);
  });
});
