import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runGit } from '../../../../src/local/git/run-git.ts';
import { type KeptGitHub, openKept } from '../../../../src/local/saved/open-kept.ts';
import {
  createApp,
  createRepo,
  createUser,
  createUserToken,
  installApp,
} from '../../../../src/local/seed.ts';

let dir: string;
let data: string;
let kept: KeptGitHub | null;
const failures: unknown[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-kept-'));
  data = join(dir, 'data');
  kept = null;
  failures.length = 0;
});

afterEach(async () => {
  await kept?.close();
  await rm(dir, { recursive: true, force: true });
  expect(failures).toEqual([]);
});

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const at = { owner: 'ada', repo: 'demo' };

async function reopen(): Promise<KeptGitHub> {
  await kept?.close();
  kept = null;
  kept = await openKept({ dataDir: data }, (fault) => failures.push(fault));
  return kept;
}

const client = ({ github }: KeptGitHub, token: string): Octokit =>
  new Octokit({ baseUrl: `${github.url}/api/v3`, auth: token, log: quiet });

/** Makes a world with one of everything, over HTTP where that can be. */
async function settle(one: KeptGitHub) {
  const { github } = one;
  const ada = createUser(github.store, 'ada');
  const token = createUserToken(github.store, ada);
  await createRepo(github.store, { owner: ada, name: 'demo' });
  const app = createApp(github.store, {
    slug: 'checker',
    owner: ada,
    permissions: { checks: 'write', contents: 'read' },
  });
  const installation = installApp(github.store, app, ada);
  const push = await pusher(`http://x:${token}@127.0.0.1:${github.port}/ada/demo.git`);
  await push('main', { 'a.txt': 'one\n' });
  await push('topic', { 'b.txt': 'two\n' });
  const octokit = client(one, token);
  await octokit.issues.create({ ...at, title: 'First', body: 'text \ud800 \u0000', labels: ['bug'] });
  await octokit.issues.create({ ...at, title: 'Second' });
  await octokit.issues.createComment({ ...at, issue_number: 1, body: 'See #2' });
  await octokit.pulls.create({ ...at, head: 'topic', base: 'main', title: 'Brings b' });
  await octokit.repos.createRepoRuleset({
    ...at,
    name: 'Trunk',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules: [{ type: 'deletion' }],
  });
  return { token, octokit, push, app, installation };
}

/** Commits files on a branch and pushes it. */
async function pusher(remote: string) {
  const clone = join(dir, 'clone');
  const git = async (...args: string[]): Promise<string> => {
    const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    const run = await runGit([...who, ...args], { cwd: clone });
    if (run.code !== 0) throw new Error(`git ${args.join(' ')}: ${run.stderr}`);
    return run.stdout.toString('utf8').trim();
  };
  await promisify(execFile)('git', ['init', '-q', '-b', 'main', clone]);
  return async (branch: string, files: Readonly<Record<string, string>>, to = remote): Promise<string> => {
    if (branch !== (await git('branch', '--show-current'))) await git('checkout', '-q', '-B', branch);
    for (const [name, text] of Object.entries(files)) await writeFile(join(clone, name), text);
    await git('add', '-A');
    await git('commit', '-q', '-m', `Change ${branch}`);
    await git('push', '-q', to, `HEAD:refs/heads/${branch}`);
    return git('rev-parse', 'HEAD');
  };
}

/** Everything that the API tells of the repository, but for addresses and times of asking. */
async function told(octokit: Octokit, origin: string): Promise<unknown> {
  const answers = await Promise.all([
    octokit.issues.listForRepo({ ...at, state: 'all' }),
    octokit.issues.listEventsForTimeline({ ...at, issue_number: 1 }),
    octokit.issues.listEventsForTimeline({ ...at, issue_number: 2 }),
    octokit.issues.listComments({ ...at, issue_number: 1 }),
    octokit.pulls.list({ ...at, state: 'all' }),
    octokit.repos.getRepoRulesets(at),
    octokit.repos.get(at),
    octokit.issues.listLabelsForRepo(at),
    octokit.checks.listForRef({ ...at, ref: 'topic' }),
  ]);
  return JSON.parse(
    JSON.stringify(answers.map((answer) => answer.data))
      .replaceAll(origin, '')
      .replaceAll(new URL(origin).host, ''),
  );
}

describe('openKept', () => {
  it('opens again what was closed: the same numbers, ids, tokens and answers', async () => {
    const first = await reopen();
    expect(first.reopened).toBe(false);
    const { token, octokit, app, installation } = await settle(first);
    const byApp = (github: KeptGitHub) =>
      new Octokit({
        baseUrl: `${github.github.url}/api/v3`,
        authStrategy: createAppAuth,
        auth: { appId: app.id, privateKey: app.privateKey, installationId: installation.id },
        log: quiet,
      });
    const { data: topic } = await octokit.git.getRef({ ...at, ref: 'heads/topic' });
    const check = {
      ...at,
      name: 'guard',
      head_sha: topic.object.sha,
      status: 'completed',
      conclusion: 'success',
    } as const;
    await byApp(first).checks.create(check);
    const before = await told(octokit, first.github.url);

    const second = await reopen();
    expect(second.reopened).toBe(true);
    expect(second.warnings).toEqual([]);
    const again = client(second, token);
    expect(await told(again, second.github.url)).toEqual(before);
    const made = await again.issues.create({ ...at, title: 'Next' });
    expect(made.data.number).toBe(4);
    expect((await byApp(second).checks.create(check)).data.app?.id).toBe(app.id);
    await expect(client(second, 'ghp_wrong').users.getAuthenticated()).rejects.toMatchObject({ status: 401 });
    // Shared records are still shared: the author of an issue is the account itself.
    const { store } = second.github;
    expect(store.repoByName('ada', 'demo')!.issues.get(1)!.user).toBe(store.userByLogin('ada'));
    expect(store.repoByName('ada', 'demo')!.owner).toBe(store.userByLogin('ada'));
  });

  it('keeps runs with logs, and artifacts; what was at work has lost its runner', async () => {
    const first = await reopen();
    const { token, push } = await settle(first);
    first.actions.startRunner({
      workDir: join(dir, 'work'),
      stopTimes: { afterInterrupt: 200, afterTerminate: 200, outputGrace: 200 },
    });
    const step = (script: string) =>
      `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ${script}\n`;
    const upload = `      - uses: actions/upload-artifact@v4\n        with:\n          name: out\n          path: out.txt\n`;
    await promisify(execFile)('mkdir', ['-p', join(dir, 'clone', '.github', 'workflows')]);
    await push('main', { '.github/workflows/a.yml': step('echo made; echo made > out.txt') + upload });
    const done = await first.actions.waitForRun((run) => run.status === 'completed');
    expect(done.conclusion).toBe('success');
    await push('main', { '.github/workflows/a.yml': step('sleep 100') });
    const going = await first.actions.waitForRun((run) =>
      run.jobs.some((job) => job.status === 'in_progress'),
    );
    await first.save();
    // As a killed server leaves it: nothing more is saved.
    const state = await readFile(join(data, 'state'));
    await first.close();
    await writeFile(join(data, 'state'), state);
    kept = null;

    const second = await reopen();
    const octokit = client(second, token);
    const { data: runs } = await octokit.actions.listWorkflowRunsForRepo(at);
    expect(runs.workflow_runs.map((run) => [run.id, run.run_number, run.status, run.conclusion])).toEqual([
      [going.id, 2, 'completed', 'failure'],
      [done.id, 1, 'completed', 'success'],
    ]);
    expect(second.actions.run(done.id).jobs[0]!.log.join('\n')).toContain('made');
    const annotations = await octokit.checks.listAnnotations({ ...at, check_run_id: going.jobs[0]!.id });
    expect(JSON.stringify(annotations.data)).toContain('lost communication');
    const artifacts = await octokit.actions.listWorkflowRunArtifacts({ ...at, run_id: done.id });
    const zip = await octokit.actions.downloadArtifact({
      ...at,
      artifact_id: artifacts.data.artifacts[0]!.id,
      archive_format: 'zip',
    });
    expect(Buffer.from(zip.data as ArrayBuffer).toString('latin1')).toContain('out.txt');
    await push('main', { 'c.txt': 'x' }, `http://x:${token}@127.0.0.1:${second.github.port}/ada/demo.git`);
    const next = await second.actions.waitForRun((run) => run.runNumber === 3);
    expect(next.id).toBeGreaterThan(going.id);
  });

  it('after a kill reads git again: pull requests follow what was pushed and not saved, strange repositories go aside', async () => {
    const first = await reopen();
    const { token, push } = await settle(first);
    await first.save();
    const state = await readFile(join(data, 'state'));
    const head = await push('topic', { 'b.txt': 'three\n' });
    await createRepo(first.github.store, { owner: first.github.store.userByLogin('ada')!, name: 'later' });
    await first.close();
    kept = null;
    await writeFile(join(data, 'state'), state);

    const second = await reopen();
    const pull = await client(second, token).pulls.get({ ...at, pull_number: 3 });
    expect(pull.data.head.sha).toBe(head);
    expect(second.warnings.join()).toMatch(/No record knows the repository ada\/later/);
    await createRepo(second.github.store, { owner: second.github.store.userByLogin('ada')!, name: 'later' });
    expect(await readdir(join(data, 'left-over'))).toHaveLength(1);
  });

  it('keeps who waits for a reviewer, what was said, and what was used of the limits', async () => {
    const first = await reopen();
    const { token, push } = await settle(first);
    const { store } = first.github;
    const ada = store.userByLogin('ada')!;
    const repo = store.repoByName('ada', 'demo')!;
    for (const name of ['stage', 'production'])
      first.actions.environments.set(repo, name, { reviewers: [ada] });
    const job = (name: string, needs: string) =>
      `  ${name}: {runs-on: ubuntu-latest, environment: ${name}, ${needs}steps: [{run: 'echo went on'}]}\n`;
    const file = `on: push\nconcurrency: one\njobs:\n${job('stage', '')}${job('production', 'needs: stage, ')}`;
    await promisify(execFile)('mkdir', ['-p', join(dir, 'clone', '.github', 'workflows')]);
    await push('main', { '.github/workflows/a.yml': file });
    const run = await first.actions.waitForRun((one) => one.status === 'waiting');
    const approve = (one: KeptGitHub, name: string) =>
      client(one, token).actions.reviewPendingDeploymentsForRun({
        ...at,
        run_id: run.id,
        environment_ids: [one.actions.environments.all.find((each) => each.name === name)!.id],
        state: 'approved',
        comment: `${name} is fine`,
      });
    const used = async (one: KeptGitHub) => (await client(one, token).rateLimit.get()).data.rate.used;
    const before = await used(first);

    const second = await reopen();
    expect(await used(second)).toBe(before);
    expect(second.actions.run(run.id).status).toBe('waiting');
    await push('main', { 'c.txt': 'x' }, `http://x:${token}@127.0.0.1:${second.github.port}/ada/demo.git`);
    const later = await second.actions.waitForRun((one) => one.runNumber === 2);
    expect(later.status, 'the group is still taken').toBe('pending');
    second.actions.startRunner({ workDir: join(dir, 'work') });
    await approve(second, 'stage');
    await second.actions.waitForRun((one) => one.id === run.id && one.status === 'waiting');

    const third = await reopen();
    third.actions.startRunner({ workDir: join(dir, 'work') });
    await approve(third, 'production');
    const done = await third.actions.completed(run.id);
    expect(done.conclusion).toBe('success');
    const { data } = await client(third, token).actions.getReviewsForRun({ ...at, run_id: run.id });
    expect(data.map((one) => one.comment)).toEqual(['stage is fine', 'production is fine']);
  });

  it('takes away what a kill left half-written, whose locks would be in the way for ever', async () => {
    const first = await reopen();
    const { token } = await settle(first);
    const git = first.github.store.repoByName('ada', 'demo')!.git.dir;
    await first.close();
    kept = null;
    const left = [
      join(git, 'refs/heads/later.lock'),
      join(git, 'packed-refs.lock'),
      join(git, 'objects/tmp_objdir-incoming-x'),
      join(git, 'objects/tmp_obj_y'),
      join(data, '.state.1.tmp'),
    ];
    for (const path of left) await writeFile(path, 'half');

    const octokit = client(await reopen(), token);
    for (const path of left) expect(existsSync(path), path).toBe(false);
    const { data: main } = await octokit.git.getRef({ ...at, ref: 'heads/main' });
    await octokit.git.createRef({ ...at, ref: 'refs/heads/later', sha: main.object.sha });
    await octokit.git.deleteRef({ ...at, ref: 'heads/later' });
  });

  it('that has lost a repository is refused, and nothing goes on to listen', async () => {
    const first = await reopen();
    await settle(first);
    await first.close();
    kept = null;
    await rm(join(data, 'repos'), { recursive: true });
    const port = first.github.port;
    const open = () => openKept({ dataDir: data, port }, () => undefined);
    await expect(open()).rejects.toMatchObject({ code: 'local.data-broken' });
    await expect(open(), "the port is free, the folder nobody's").rejects.toMatchObject({
      code: 'local.data-broken',
    });
  });

  it('saves by itself a moment after a change', async () => {
    const one = await reopen();
    const { octokit } = await settle(one);
    await one.save();
    const size = (await readFile(join(data, 'state'), 'utf8')).length;
    await octokit.issues.create({ ...at, title: 'Later' });
    await expect
      .poll(async () => (await readFile(join(data, 'state'), 'utf8')).length, { timeout: 20_000 })
      .toBeGreaterThan(size);
  });

  it('is one server’s alone, until that one ends or dies', async () => {
    const one = await reopen();
    await expect(openKept({ dataDir: data }, () => undefined)).rejects.toMatchObject({
      code: 'local.data-in-use',
    });
    await one.close();
    const dead = spawn('true');
    await new Promise((resolve) => dead.once('exit', resolve));
    await writeFile(join(data, 'lock'), JSON.stringify({ pid: dead.pid, began: '1', key: 'x' }));
    kept = null;
    await reopen();
    // The id of this process in the hands of one that began at another time: dead, too.
    await kept!.close();
    await writeFile(join(data, 'lock'), JSON.stringify({ pid: process.pid, began: '1', key: 'x' }));
    kept = null;
    await reopen();
    expect((await readdir(data)).filter((name) => name.startsWith('.lock'))).toEqual([]);
  });

  it.each([
    [
      'another version',
      (state: string) => state.replace('"version":1', '"version":99'),
      'local.data-version',
    ],
    [
      'a version whose first line has another shape',
      () => '{"format":"ccd-local-github","version":2}\n',
      'local.data-version',
    ],
    ['a changed text', (state: string) => state.replace('First', 'Fjrst'), 'local.data-broken'],
    ['a cut off text', (state: string) => state.slice(0, state.length / 2), 'local.data-broken'],
    ['no state at all', () => 'hello\n', 'local.data-broken'],
    ['nothing', () => '', 'local.data-broken'],
  ])('refuses %s and changes nothing', async (_, change, code) => {
    const one = await reopen();
    await settle(one);
    await one.close();
    kept = null;
    const path = join(data, 'state');
    const changed = change(await readFile(path, 'utf8'));
    await writeFile(path, changed);
    await expect(openKept({ dataDir: data }, () => undefined)).rejects.toMatchObject({ code });
    expect(await readFile(path, 'utf8')).toBe(changed);
    expect((await readdir(data)).sort()).toEqual(['repos', 'state']);
  });
});
