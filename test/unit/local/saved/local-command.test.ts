import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Octokit } from '@octokit/rest';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../../cli/support/run-cli.ts';

let dir: string;
let running: Running | null = null;

interface Running {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-local-command-'));
  await execa('git', ['init', '-q', '-b', 'main', 'source'], { cwd: dir });
  await writeFile(join(dir, 'source', 'README.md'), '# Hello\n');
  const source = { cwd: join(dir, 'source') };
  await execa('git', ['add', '.'], source);
  await execa('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '-q', '-m', 'First'], source);
});

afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  running = null;
});

afterAll(() => rm(dir, { recursive: true, force: true }));

/** Starts `ccd local` and waits until it has printed what it prints. */
async function local(...args: string[]): Promise<Running> {
  const child = spawn(process.execPath, [cli, 'local', ...args], {
    cwd: dir,
    env: { PATH: process.env.PATH, TMPDIR: dir },
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  running = { child, out: () => out, err: () => err, ended };
  await expect
    .poll(() => out + (child.exitCode === null ? '' : 'ended'), { timeout: 30_000 })
    .toMatch(/token|ended/);
  return running;
}

const refused = (...args: string[]) =>
  execa(process.execPath, [cli, 'local', ...args, '--json'], {
    cwd: dir,
    reject: false,
    timeout: 30_000,
    env: { TMPDIR: dir },
  });

type Printed = { readonly url: string; readonly api: string; readonly token: string };

describe('ccd local', () => {
  it('says of a job that it waits for a runner, and runs it with --runner', async () => {
    const { out, err } = await local('--data', 'waiting', '--json');
    const { url, api, token } = JSON.parse(out()) as Printed;
    const octokit = new Octokit({ baseUrl: api, auth: token });
    await octokit.repos.createForAuthenticatedUser({ name: 'job' });
    const work = join(dir, 'job');
    await mkdir(join(work, '.github', 'workflows'), { recursive: true });
    const file = 'on: push\njobs:\n  a: {runs-on: ubuntu-latest, steps: [{run: echo}]}\n';
    await writeFile(join(work, '.github', 'workflows', 'ci.yml'), file);
    const to = `${url.replace('://', `://x:${token}@`)}/maintainer/job.git`;
    for (const args of [
      ['init', '-q', '-b', 'main'],
      ['add', '.'],
      ['commit', '-q', '-m', 'Job'],
      ['push', '-q', to, 'main'],
    ])
      await execa('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { cwd: work });
    await expect
      .poll(err, { timeout: 20_000 })
      .toContain(
        'ccd: the job a of maintainer/job waits for a runner with ubuntu-latest. No runner is here; --runner starts one.',
      );
    running!.child.kill('SIGINT');
    await running!.ended;

    const again = JSON.parse((await local('--data', 'waiting', '--json', '--runner')).out()) as Printed;
    const after = new Octokit({ baseUrl: again.api, auth: again.token });
    const conclusion = async () =>
      (await after.actions.listWorkflowRunsForRepo({ owner: 'maintainer', repo: 'job' })).data
        .workflow_runs[0]?.conclusion;
    await expect.poll(conclusion, { timeout: 20_000 }).toBe('success');
  });

  it('prints three lines, serves pages, and tells of every request in a plain line', async () => {
    const { out, err, child, ended } = await local('--repo', 'source');
    const [, url, api, token] = /^pages: (\S+)\napi: (\S+)\ntoken of maintainer: (\S+)\n$/.exec(out()) ?? [];
    expect(await (await fetch(`${url}/maintainer/project`)).text()).toContain('Hello');
    const octokit = new Octokit({ baseUrl: api!, auth: token! });
    expect((await octokit.repos.get({ owner: 'maintainer', repo: 'project' })).data.default_branch).toBe(
      'main',
    );
    await expect
      .poll(err)
      .toMatch(
        /^GET \/maintainer\/project 200 \d+ ms\n[\s\S]*GET \/api\/v3\/repos\/maintainer\/project 200 \d+ ms\n$/,
      );
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });

  it('keeps in --data what happened, and opens it again with the same token, also after a kill', async () => {
    const first = await local('--repo', 'source', '--data', 'kept', '--json');
    const before = JSON.parse(first.out()) as Printed;
    const octokit = new Octokit({ baseUrl: before.api, auth: before.token });
    const at = { owner: 'maintainer', repo: 'project' };
    await octokit.issues.create({ ...at, title: 'Stays' });
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);

    const second = await local('--repo', 'source', '--data', 'kept', '--json');
    const after = JSON.parse(second.out()) as Printed;
    expect(after.token).toBe(before.token);
    expect(second.err()).toContain('--repo was not read again');
    const again = new Octokit({ baseUrl: after.api, auth: after.token });
    expect((await again.issues.listForRepo(at)).data.map((issue) => issue.title)).toEqual(['Stays']);
    expect((await again.users.getAuthenticated()).data.login).toBe('maintainer');
    second.child.kill('SIGKILL');
    await second.ended;

    const third = await local('--data', 'kept', '--json');
    expect((JSON.parse(third.out()) as Printed).token).toBe(before.token);
    const busy = await refused('--data', 'kept');
    expect([busy.exitCode, busy.stdout]).toEqual([2, expect.stringContaining('local.data-in-use')]);
  });

  it('refuses with a sentence and 2 what cannot be opened', async () => {
    await writeFile(join(dir, 'file'), '');
    await mkdir(join(dir, 'other'), { recursive: true });
    await writeFile(
      join(dir, 'other', 'state'),
      '{"format":"ccd-local-github","version":99,"savedAt":"","digest":""}\n[]\n',
    );
    await mkdir(join(dir, 'plain'), { recursive: true });
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const wrong: [string[], RegExp][] = [
      [['--repo', 'plain'], /is no git repository/],
      [['--repo', 'absent'], /is no git repository/],
      [['--data', 'file'], /file cannot be used/],
      [['--data', 'file/below'], /cannot be used: a part of the path is no folder/],
      [['--data', 'other'], /version 99/],
      [['--port', String(port)], /is in use/],
      [['--port', String(port), '--data', 'fresh'], /is in use/],
    ];
    for (const [args, sentence] of wrong) {
      const { exitCode, stdout } = await refused(...args);
      expect(exitCode, args.join(' ')).toBe(2);
      expect((JSON.parse(stdout) as { error: { message: string } }).error.message).toMatch(sentence);
    }
    server.close();
    // The lock of one that could not start is gone.
    await local('--data', 'fresh');
  });
});
