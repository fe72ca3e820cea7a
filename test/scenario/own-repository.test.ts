import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { processesOf } from '../../src/cli/demo/leftovers.ts';
import { gitIn, listing, makeOwnProject, ownTask, writeOwnAgent } from './support/own-project.ts';
import { cli } from './support/scenario.ts';

let dir: string;
let repo: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-own-test-'));
  repo = join(dir, 'my project');
  await mkdir(join(dir, 'tmp'));
  await makeOwnProject(repo);
  await writeFile(join(dir, 'task.md'), ownTask);
  await writeOwnAgent(join(dir, 'agent', 'agent.mjs'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** `ccd demo` on a repository; `onLine` hears its progress. */
async function demo(
  on: string,
  more: readonly string[] = [],
  onLine: (line: string) => void = () => undefined,
) {
  const args = ['demo', '--repo', on, '--spec', 'task.md', '--agent', 'agent/agent.mjs', '--json', ...more];
  const child = execa(process.execPath, [cli, ...args], {
    cwd: dir,
    reject: false,
    env: { TMPDIR: join(dir, 'tmp') },
  });
  child.stderr.on('data', (chunk: Buffer) => onLine(chunk.toString('utf8')));
  const run = await child;
  // Nothing is left, whatever came of it.
  expect(await readdir(join(dir, 'tmp'))).toEqual([]);
  expect(processesOf(join(dir, 'tmp'))).toEqual([]);
  return { ...run, answer: JSON.parse(run.stdout) as Record<string, unknown> };
}

it('a task lands on HEAD of a repository that is only read, and leaves a bundle and a patch that fit it', async () => {
  const git = gitIn(repo);
  await writeFile(join(repo, 'run.bat'), 'echo changed\r\n');
  await git('checkout', '--quiet', '--detach');
  const before = await listing(repo);
  const { answer, stderr, exitCode } = await demo(repo, ['--out', 'out dir']);
  expect(stderr).toMatch(/Warning: the work tree has changes that are not committed; HEAD counts\./);
  expect(answer).toMatchObject({ ok: true, state: 'landed', generation: 1, reason: null });
  expect(exitCode).toBe(0);
  expect(await listing(repo)).toEqual(before);

  const out = join(dir, 'out dir');
  expect((await readdir(out)).sort()).toEqual(['landed.bundle', 'landed.patch']);
  await git('bundle', 'verify', '--quiet', join(out, 'landed.bundle'));
  await git('fetch', '--quiet', join(out, 'landed.bundle'), 'ccd-landed');
  expect(await git('rev-parse', 'FETCH_HEAD')).toBe(answer.commit);
  expect(await git('rev-parse', 'FETCH_HEAD^')).toBe(await git('rev-parse', 'HEAD'));
  const changed = await git('-c', 'core.quotePath=false', 'diff', '--name-only', 'HEAD', 'FETCH_HEAD');
  expect(changed).toBe('pkg/my lib/größe.js\ntest/größe.test.js');
  await git('apply', '--cached', join(out, 'landed.patch'));
  expect(await git('write-tree')).toBe(await git('rev-parse', 'FETCH_HEAD^{tree}'));
}, 300_000);

it('an app that dies in the middle ends the demonstration with 1', async () => {
  const { answer, exitCode } = await demo(repo, [], (line) => {
    if (!/#2 running/.test(line)) return;
    for (const pid of processesOf(join(dir, 'tmp'))) void killIf(pid, /ccd\.mjs\0serve/);
  });
  expect(answer).toMatchObject({ error: { code: 'demo.died', message: expect.stringMatching(/SIGKILL/) } });
  expect(exitCode).toBe(1);
  expect(await readdir(join(dir, 'ccd-out'))).toEqual([]);
}, 120_000);

async function killIf(pid: number, command: RegExp): Promise<void> {
  const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  if (command.test(text)) process.kill(pid, 'SIGKILL');
}

it('a workflow that the local runner does not understand is refused by name', async () => {
  const other = join(dir, 'foreign');
  await makeOwnProject(other);
  const workflow =
    'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    container: node:20\n    steps:\n      - run: x\n';
  await writeFile(join(other, '.github', 'workflows', 'deploy.yml'), workflow);
  await gitIn(other)('add', '--all');
  await gitIn(other)('commit', '--quiet', '--message', 'Deploys');
  const { answer, exitCode } = await demo(other);
  expect(answer).toMatchObject({ error: { code: 'demo.workflow' } });
  expect(JSON.stringify(answer)).toContain('.github/workflows/deploy.yml: jobs.a.container');
  expect(JSON.stringify(answer)).not.toContain('nightly.yml');
  expect(exitCode).toBe(2);
});

it.each([
  ['an empty folder', async (at: string) => void (await mkdir(at)), /is no git repository/],
  [
    'a repository without a commit',
    (at: string) => execa('git', ['init', '--quiet', at]),
    /has no commit at HEAD/,
  ],
  [
    'a bare repository without a commit',
    (at: string) => execa('git', ['init', '--quiet', '--bare', at]),
    /no commit/,
  ],
  [
    'a shallow clone',
    (at: string) =>
      execa('git', ['clone', '--quiet', '--depth=1', `file://${encodeURI(join(dir, 'deep'))}`, at]),
    /is a shallow clone/,
  ],
])('%s is refused before anything starts', async (name, make, sentence) => {
  const deep = join(dir, 'deep');
  await rm(deep, { recursive: true, force: true });
  await makeOwnProject(deep);
  await gitIn(deep)('commit', '--quiet', '--allow-empty', '--message', 'Second');
  const at = join(dir, name);
  await make(at);
  const { answer, exitCode, stderr } = await demo(at);
  expect(answer).toMatchObject({
    error: { code: 'demo.repository', message: expect.stringMatching(sentence) },
  });
  expect(stderr.split('\n')).toHaveLength(1);
  expect(exitCode).toBe(2);
});

it('a spec that cannot be used is refused with all that is wrong', async () => {
  await writeFile(join(dir, 'bad.md'), '# A task\n');
  const { answer, exitCode } = await demo(repo, ['--spec', 'bad.md']);
  expect(JSON.stringify(answer)).toMatch(/demo\.spec.*Kind.*is missing.*Allowed paths.*Test command/);
  expect(exitCode).toBe(2);
});
