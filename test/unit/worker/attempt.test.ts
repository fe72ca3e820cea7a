import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findProgram } from '../../../src/action/find-program.ts';
import { handoverSchema } from '../../../src/domain/contract.ts';
import { type ResultReport, resultReportSchema } from '../../../src/domain/report.ts';
import type { TaskState } from '../../../src/domain/state.ts';
import { importBundle } from '../../../src/git/import-bundle.ts';
import { gitText } from '../../../src/git/run-git.ts';
import { type Clock, systemClock } from '../../../src/host/clock.ts';
import type { AttemptEnd } from '../../../src/worker/attempt.ts';
import { forgetKept } from '../../../src/worker/kept-files.ts';
import { defaultTimes, type WorkerJob } from '../../../src/worker/worker-job.ts';
import { type AttemptWorld, fixSpec, openAttempt, type TaskOptions } from './support/attempt-world.ts';

// A whole GitHub, git and several sandboxes for each: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

let world: AttemptWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

async function open(options?: TaskOptions): Promise<AttemptWorld> {
  world = await openAttempt(options);
  return world;
}

function reportOf(end: AttemptEnd): ResultReport {
  if (end.kind === 'not-started') throw new Error(`not started: ${end.reason}`);
  return end.report;
}

/** A folder by which test and agent tell each other where they are. */
function signalFolder(here: AttemptWorld): string {
  const folder = join(here.scratch, 'signals');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The agent's side: says that it has come here, and waits until it may go on. */
function meet(folder: string): string {
  const quoted = JSON.stringify(folder);
  return `fs.writeFileSync(${quoted} + '/up', ''); while (!fs.existsSync(${quoted} + '/go')) await wait(20);`;
}

async function arrival(folder: string): Promise<void> {
  await expect.poll(() => existsSync(join(folder, 'up')), { timeout: 120_000 }).toBe(true);
}

/** Lets the repository have a run with one artifact, by the addresses that GitHub has for them. */
function serveArtifact(here: AttemptWorld, runId: number, name: string, bytes: Buffer): void {
  const api = '/api/v3/repos/ada/demo/actions';
  here.github.mountRaw((_request, response, url) => {
    if (url.pathname === `${api}/runs/${runId}/artifacts`) {
      const artifact = { id: 77, name, size_in_bytes: bytes.length, expired: false };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ total_count: 1, artifacts: [artifact] }));
      return true;
    }
    if (url.pathname === `${api}/artifacts/77/zip`) {
      response.writeHead(302, { location: `${here.github.url}/storage/77` });
      response.end();
      return true;
    }
    if (url.pathname !== '/storage/77') return false;
    response.end(bytes);
    return true;
  });
}

const unbound = (task: TaskState): TaskState => ({
  ...task,
  attempt: task.attempt && { ...task.attempt, runId: null },
});

describe('an attempt that goes well', () => {
  it('hands over the tree, reports once and ends with 0', async () => {
    const here = await open();
    const agent = await here.agent('fix(); addTest(); tool(); done();');
    const end = await here.run(agent);
    const report = reportOf(end);
    expect(report).toMatchObject({
      status: 'ready',
      outcome: { class: 'success', reason: 'completed' },
      tries: 1,
      violations: [],
      claim: { summary: 'Fixed it.' },
      agent: { version: '0.0.0-test' },
      usage: { microUsd: null },
    });
    expect(end.exitCode).toBe(0);
    expect(report.changedFiles.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'modified src/add.mjs',
      'modified test/add.test.mjs',
    ]);
    expect(report.checks).toMatchObject([{ command: 'node --test', exitCode: 0, try: 1, timedOut: false }]);
    expect(report).toMatchObject({
      exitCode: 0,
      unfinished: [],
      overlaps: [],
      proposedCommit: { parent: here.base, tree: report.tree, files: 2 },
    });
    expect(Date.parse(report.endedAt)).toBeGreaterThan(Date.parse(report.startedAt));
    expect(await here.handedOver(report.lastSequence, 'src/add.mjs')).toContain('a + b');
    const stored = await here.artifactFile(`ccd-report-${here.contract.attempt}`, 'report.json');
    expect(resultReportSchema.parse(JSON.parse(stored))).toEqual(report);
    expect(readdirSync(join(here.scratch, 'temp'))).toEqual([]);
  });

  it('makes a bundle that the app takes in', async () => {
    const here = await open();
    const report = reportOf(await here.run(await here.agent('fix(); addTest(); done();')));
    const name = `ccd-tree-${here.contract.attempt}-${report.lastSequence}`;
    const manifest = handoverSchema.parse(JSON.parse(await here.artifactFile(name, 'handover.json')));
    const imported = await importBundle(here.clone, {
      file: join(here.artifacts.get(name) ?? '', 'handover.bundle'),
      base: here.base,
      scratch: join(here.scratch, 'import'),
    });
    expect(imported).toMatchObject({ kind: 'imported', tree: report.tree, hazards: [] });
    expect(manifest).toMatchObject({ tree: report.tree, base: here.base, sequence: report.lastSequence });
  });

  it('hands over the first meaningful tree while the agent still works', async () => {
    const here = await open();
    const signals = signalFolder(here);
    const agent = await here.agent(
      `fs.writeFileSync('notes.txt', 'x'); tool(); fix(); ${meet(signals)} addTest(); fs.rmSync('notes.txt'); done();`,
    );
    const running = here.run(agent, { writable: [signals] });
    await expect.poll(() => here.artifacts.size, { timeout: 120_000 }).toBe(1);
    writeFileSync(join(signals, 'go'), '');
    const report = reportOf(await running);
    expect(report.lastSequence).toBe(2);
    expect(await here.handedOver(1, 'src/add.mjs')).toContain('a + b');
    expect(await here.handedOver(1, 'test/add.test.mjs')).not.toContain('adds');
    expect(await here.handedOver(2, 'test/add.test.mjs')).toContain('adds');
  });

  it('hands over checkpoints while the agent goes on, so that losing the machine loses minutes', async () => {
    const here = await open();
    const signals = signalFolder(here);
    const agent = await here.agent(
      `fix(); tool(); while (!fs.existsSync(${JSON.stringify(signals)} + '/first')) await wait(20); addTest(); tool(); ${meet(signals)} done();`,
    );
    const times = { ...defaultTimes, treePollMs: 50, treeGapMs: 20, checkpointMs: 50 };
    const running = here.run(agent, { writable: [signals], times });
    await expect.poll(() => here.artifacts.size, { timeout: 120_000 }).toBe(1);
    writeFileSync(join(signals, 'first'), '');
    await expect.poll(() => here.artifacts.size, { timeout: 120_000 }).toBe(2);
    expect(await here.handedOver(2, 'test/add.test.mjs')).toContain('adds');
    writeFileSync(join(signals, 'go'), '');
    // What is there already is not handed over again.
    expect(reportOf(await running)).toMatchObject({ status: 'ready', lastSequence: 2 });
  });

  it('holds what the agent claims against what it changed, and names whose change it meets', async () => {
    const here = await open();
    const other = await here.push(
      { 'src/add.mjs': 'export const add = (a, b) => b + a;\n' },
      { branch: 'ccd/task/99', from: 'main' },
    );
    await here.addTask(99, { oid: other, base: here.base });
    const claim = {
      changed_files: ['./src/add.mjs', 'src/never.mjs'],
      unfinished: ['the docs'],
      subject: 'Add',
    };
    const words = `All is well.\n\n\`\`\`ccd-report\n${JSON.stringify(claim)}\n\`\`\``;
    const report = reportOf(
      await here.run(await here.agent(`fix(); addTest(); done(${JSON.stringify(words)});`)),
    );
    expect(report).toMatchObject({
      status: 'ready',
      violations: ['claimed-not-changed: src/never.mjs', 'changed-not-claimed: test/add.test.mjs'],
      overlaps: [{ issue: 99, path: 'src/add.mjs' }],
      claim: {
        summary: 'All is well.',
        changedFiles: ['src/add.mjs', 'src/never.mjs'],
        unfinished: ['the docs'],
        subject: 'Add',
      },
    });
  });

  it('tells the agent the task as data, with what people cannot see taken out', async () => {
    const spec = `${fixSpec}\n<!-- hidden order -->\nText\u202e\u200b with \u2066marks.\n`;
    const here = await open({ spec });
    const agent = await here.agent("write('src/add.mjs', prompt); done();");
    const report = reportOf(await here.run(agent));
    const prompt = (await here.handedOver(report.lastSequence, 'src/add.mjs')) ?? '';
    expect(prompt).toContain('MARK-OBJECTIVE');
    expect(prompt).toContain('add is wrong');
    expect(prompt).not.toContain('hidden order');
    expect(prompt).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
    expect(prompt.startsWith('Carry out task #')).toBe(true);
  });

  it('tells the agent what people with write access said on the issue, and nobody else', async () => {
    const here = await open();
    const say = (who: string, body: string) =>
      here
        .as(who)
        .rest.issues.createComment({ owner: 'ada', repo: 'demo', issue_number: here.contract.issue, body });
    await say('ada', 'MARK-MAINTAINER <!-- MARK-UNSEEN -->');
    await say('mallory', 'MARK-STRANGER');
    await say('ada', '/ccd hold MARK-COMMAND');
    const agent = await here.agent("write('src/add.mjs', prompt); done();");
    const report = reportOf(await here.run(agent));
    const prompt = (await here.handedOver(report.lastSequence, 'src/add.mjs')) ?? '';
    expect(prompt).toMatch(/kind="remark by ada">\nMARK-MAINTAINER/);
    expect(prompt).not.toMatch(/MARK-UNSEEN|MARK-STRANGER|MARK-COMMAND/);
  });

  it('leaves out what set-up and checks leave behind, and what base ignores', async () => {
    const spec = fixSpec.replace(
      '### Test command\n\nnode --test',
      '### Setup\n\nmkdir -p node_modules/dep vendor && echo a > node_modules/dep/i.js && echo b > vendor/v.js && echo lock > lock.txt\n\n### Test command\n\nnode --test && echo covered > coverage.txt',
    );
    const here = await open({ spec });
    const agent = await here.agent(
      "if (!fs.existsSync('vendor/v.js')) done('no set-up'); fix(); addTest(); fs.writeFileSync('debug.log', 'x'); fs.writeFileSync('.gitignore', 'src/'); tool(); done();",
    );
    const report = reportOf(await here.run(agent));
    expect(report.changedFiles.map(({ path }) => path)).toEqual([
      '.gitignore',
      'src/add.mjs',
      'test/add.test.mjs',
    ]);
    expect(report.violations).toEqual(['outside-allowed-paths: .gitignore']);
  });
});

describe('self-repair', () => {
  it('gives the failed check to the next try', async () => {
    const here = await open();
    const agent = await here.agent(
      "if (!prompt.includes('check output')) { write('src/add.mjs', 'export const add = () => { throw new Error(\"MARK-FAILURE\"); };'); done(); } else { if (!prompt.includes('MARK-FAILURE')) done('blind'); fix(); addTest(); done(); }",
    );
    const report = reportOf(await here.run(agent));
    expect(report).toMatchObject({ status: 'ready', tries: 2 });
    expect(report.checks.map(({ exitCode }) => exitCode)).toEqual([1, 0]);
  });

  it('stops when a try changes nothing', async () => {
    const here = await open();
    const agent = await here.agent("fs.writeFileSync('src/add.mjs', 'throw new Error()'); tool(); done();");
    const end = await here.run(agent);
    expect(reportOf(end)).toMatchObject({
      status: 'failed',
      tries: 2,
      outcome: { class: 'deterministic', reason: 'no-progress' },
    });
    expect(end.exitCode).toBe(1);
  });

  it('gives up after the tries of the contract', async () => {
    const here = await open({ limits: { maxTries: 2 } });
    const agent = await here.agent("write('src/add.mjs', 'throw new Error(' + Math.random() + ')'); done();");
    expect(reportOf(await here.run(agent))).toMatchObject({
      status: 'failed',
      exitCode: 1,
      tries: 2,
      outcome: { reason: 'verification-failed' },
      unfinished: [{ kind: 'check-failed', detail: 'node --test' }],
    });
  });

  it('does not take a talkative run without a change for a success', async () => {
    const here = await open();
    const report = reportOf(await here.run(await here.agent("done('All done, tests pass, merged.');")));
    expect(report).toMatchObject({
      status: 'failed',
      tree: null,
      outcome: { class: 'empty', reason: 'no-change' },
    });
  });
});

describe('failures of the agent', () => {
  it('retries what passes by itself, from a clean work tree', async () => {
    const here = await open();
    const counter = join(here.scratch, 'counter');
    const agent = await here.agent(
      `const dir = ${JSON.stringify(counter)}; fs.mkdirSync(dir, { recursive: true }); const n = fs.readdirSync(dir).length; fs.writeFileSync(dir + '/' + n, '');
       if (fs.existsSync('half.txt')) done('dirty'); else if (n < 2) { write('half.txt', 'x'); fail({ api_error_status: 529 }); } else { fix(); addTest(); done(); }`,
    );
    mkdirSync(counter);
    const report = reportOf(await here.run(agent, { writable: [counter] }));
    expect(report).toMatchObject({ status: 'ready', tries: 1 });
    expect(readdirSync(counter).length).toBe(3);
  });

  it('never retries what would fail again, and blocks on a refused key', async () => {
    const here = await open();
    const end = await here.run(await here.agent('fail({ api_error_status: 401 });'));
    expect(reportOf(end)).toMatchObject({
      status: 'blocked',
      tries: 1,
      outcome: { class: 'auth', reason: 'invalid-api-key' },
    });
  });

  it('ends with 64 when the money or the turns are used up, with the work saved', async () => {
    const here = await open();
    const agent = await here.agent(
      "fix(); emit({ type: 'result', subtype: 'error_max_turns', is_error: true }); process.exit(1);",
    );
    const end = await here.run(agent);
    expect(end.exitCode).toBe(64);
    expect(await here.handedOver(reportOf(end).lastSequence, 'src/add.mjs')).toContain('a + b');
  });

  it('ends an agent that falls silent, and tries again before it gives up', async () => {
    const here = await open({ limits: { silenceMs: 400, maxTries: 1 } });
    const report = reportOf(await here.run(await here.agent('fix(); await wait(60000);')));
    expect(report).toMatchObject({ status: 'failed', outcome: { class: 'transient', reason: 'stalled' } });
    expect(here.log.filter((line) => line.includes('is repeated')).length).toBe(3);
  });

  it('ends at the wall clock and keeps what was finished', async () => {
    const here = await open({ limits: { wallClockMs: 600_000 } });
    // The hour strikes when the first tree has arrived.
    const struck = () => here.artifacts.size > 0;
    const clock: Clock = {
      now: () => Date.now() + (struck() ? 3_600_000 : 0),
      sleep: async (ms, signal) => {
        const end = Date.now() + ms;
        while (Date.now() < end && signal?.aborted !== true && !(struck() && ms > 100_000)) {
          await systemClock.sleep(Math.min(50, ms), signal);
        }
      },
    };
    const agent = await here.agent('fix(); for (;;) { await wait(50); tool(); }');
    const end = await here.run(agent, {}, { clock });
    expect(end.exitCode).toBe(64);
    expect(reportOf(end)).toMatchObject({
      outcome: { class: 'budget', reason: 'wall-clock' },
      lastSequence: 1,
    });
    expect(await here.handedOver(1, 'src/add.mjs')).toContain('a + b');
  });

  it('reports a set-up that fails without starting the agent', async () => {
    const here = await open({ spec: `${fixSpec}\n### Setup\n\necho broken >&2; exit 9\n` });
    const end = await here.run(await here.agent('fix(); done();'));
    expect(reportOf(end)).toMatchObject({
      tries: 0,
      outcome: { class: 'deterministic', reason: 'worker-setup-failed' },
    });
    expect(here.log.join('')).toContain('broken');
  });

  it('starts no version that it was not tried with where policy says so', async () => {
    const here = await open({ policy: 'version: 1\nagent:\n  versions: tested\n' });
    const agent = await here.agent('fix(); addTest(); done();');
    expect(reportOf(await here.run(agent))).toMatchObject({
      status: 'failed',
      tree: null,
      outcome: { class: 'deterministic', reason: 'worker-untested-agent' },
      usage: { microUsd: null },
    });
  });

  it('reports a runner without the agent as what it is: no other generation would find one', async () => {
    const here = await open();
    const end = await here.run('claude', { findProgram: () => findProgram('no-such-agent', '/usr/bin') });
    expect(reportOf(end)).toMatchObject({
      status: 'blocked',
      tries: 0,
      outcome: { class: 'deterministic', reason: 'worker-agent-missing' },
    });
    expect(here.log.join('')).toContain('Install Claude Code');
  });
});

describe('the attempt before this one', () => {
  it('is told to the agent: how it ended, what it left undone, and what it said, as data', async () => {
    const here = await open();
    const first = reportOf(
      await here.run(await here.agent("fs.writeFileSync('src/add.mjs', 'x('); tool(); done('MARK-SAID');")),
    );
    const files = join(here.scratch, 'zip');
    mkdirSync(files);
    writeFileSync(
      join(files, 'report.json'),
      JSON.stringify({ ...first, attempt: `${here.contract.issue}.9` }),
    );
    const zip = join(here.scratch, 'report.zip');
    await promisify(execFile)('python3', ['-m', 'zipfile', '-c', zip, join(files, 'report.json')]);
    const name = `ccd-report-${here.contract.issue}.9`;
    serveArtifact(here, 4600, name, readFileSync(zip));
    const at = '2026-01-01T00:00:00.000Z';
    const outcome = { class: 'deterministic', reason: 'no-progress' } as const;
    const record = { attempt: `${here.contract.issue}.9`, runId: 4600, startedAt: at, endedAt: at, outcome };
    await here.setState({
      task: (task) => ({ ...task, records: [{ ...record, verdict: null, microUsd: null, tries: 1 }] }),
    });
    const agent = await here.agent("write('src/add.mjs', prompt); done();");
    const report = reportOf(await here.run(agent));
    const prompt = (await here.handedOver(report.lastSequence, 'src/add.mjs')) ?? '';
    expect(prompt).toContain(`(${here.contract.issue}.9) ended as "no-progress"`);
    expect(prompt).toContain('check-failed node --test');
    expect(prompt).toMatch(/kind="its summary">\nMARK-SAID/);
  });

  it('is not needed: without a report the next one still works, and says so', async () => {
    const here = await open();
    const at = '2026-01-01T00:00:00.000Z';
    const record = { attempt: `${here.contract.issue}.9`, runId: 4600, startedAt: at, endedAt: at };
    await here.setState({
      task: (task) => ({
        ...task,
        records: [{ ...record, outcome: null, verdict: null, microUsd: null, tries: 1 }],
      }),
    });
    const agent = await here.agent(
      "if (!prompt.includes('left no report')) done('blind'); fix(); addTest(); done();",
    );
    expect(reportOf(await here.run(agent)).status).toBe('ready');
  });
});

describe('an upload that fails for good', () => {
  const impatient: Clock = {
    now: systemClock.now,
    sleep: (ms, signal) => systemClock.sleep([1000, 2000, 4000].includes(ms) ? 1 : ms, signal),
  };

  it('keeps tree and report beside the job, says how to recover them, and the bundle is good', async () => {
    const here = await open();
    const tries: string[] = [];
    const artifacts = {
      upload: async ({ name }: { name: string }) => {
        tries.push(name);
        throw new Error('the storage is down: connect ECONNREFUSED 10.0.0.9:40972');
      },
    };
    const end = await here.run(
      await here.agent('fix(); addTest(); done();'),
      {},
      { artifacts, clock: impatient },
    );
    expect(end).toMatchObject({ kind: 'report-lost', exitCode: 70, report: { status: 'failed' } });
    expect(reportOf(end)).toMatchObject({
      outcome: { class: 'transient', reason: 'upload-failed' },
      tree: null,
      unfinished: [{ kind: 'check-not-run' }, { kind: 'not-handed-over' }],
    });
    expect(tries.filter((name) => name.includes('report')).length).toBe(4);
    const [kept = ''] = readdirSync(join(here.scratch, 'kept'));
    const folder = join(here.scratch, 'kept', kept);
    expect(readFileSync(join(folder, 'README.txt'), 'utf8')).toContain('git fetch');
    expect(resultReportSchema.parse(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')))).toEqual(
      reportOf(end),
    );
    const bundle = join(folder, 'handover-1', 'handover.bundle');
    await gitText({ gitDir: here.clone.dir, args: ['fetch', '--quiet', bundle, 'refs/ccd/handover:refs/x'] });
    const shown = await gitText({ gitDir: here.clone.dir, args: ['show', 'refs/x:src/add.mjs'] });
    expect(shown).toContain('a + b');
  });

  it('forgets what was kept long ago', async () => {
    const here = await open();
    const kept = join(here.scratch, 'kept');
    for (const name of ['old', 'new']) mkdirSync(join(kept, name), { recursive: true });
    const monthsAgo = new Date(Date.now() - 40 * 24 * 3600_000);
    utimesSync(join(kept, 'old'), monthsAgo, monthsAgo);
    await forgetKept(kept, Date.now());
    expect(readdirSync(kept)).toEqual(['new']);
  });
});

describe('starting exactly once', () => {
  it('starts nothing, and hands nothing in, unless state binds this very run', async () => {
    const here = await open();
    const touched = join(here.scratch, 'touched');
    const agent = await here.agent(`fs.writeFileSync(${JSON.stringify(touched)}, 'x'); done();`);
    const refused = async (reason: string, changes: Partial<WorkerJob> = {}) => {
      const end = await here.run(agent, { ...changes, writable: [here.scratch] });
      expect(end).toMatchObject({ kind: 'not-started', reason, exitCode: 1 });
    };
    await refused('run-again', { runAttempt: 2 });
    await refused('other-run-bound', { runId: 4712 });
    await refused('contract-differs', { contractDigest: `sha256:${'0'.repeat(64)}` });
    const pause = { by: 'person', code: 'asked', at: '2026-01-01T00:00:00Z' } as const;
    await here.setState({ repository: (one) => ({ ...one, pause }) });
    await refused('paused');
    await here.setState({ repository: (one) => ({ ...one, pause: null, frozen: true }) });
    await refused('frozen');
    await here.setState({ repository: (one) => ({ ...one, frozen: false }), task: unbound });
    await refused('not-bound-in-time');
    await here.setState({ task: (task) => ({ ...task, generation: 2 }) });
    await refused('generation-over');
    expect(existsSync(touched)).toBe(false);
    expect([...here.artifacts.keys()]).toEqual([]);
  });

  it('starts as soon as it is bound', async () => {
    const here = await open();
    await here.setState({ task: unbound });
    const running = here.run(await here.agent('fix(); addTest(); done();'));
    await expect.poll(() => here.looks(), { timeout: 60_000 }).toBeGreaterThan(0);
    await here.setState({
      task: (task) => ({ ...task, attempt: task.attempt && { ...task.attempt, runId: 4711 } }),
    });
    expect(reportOf(await running).status).toBe('ready');
  });

  it('spends nothing when the issue is not what was echoed', async () => {
    const here = await open();
    const agent = await here.agent('fix(); done();');
    const at = { owner: 'ada', repo: 'demo', issue_number: here.contract.issue };
    const blocked = async (
      reason: string,
      change: { title?: string; body?: string; state?: 'open' | 'closed' },
    ) => {
      await here.octokit.rest.issues.update({ ...at, ...change });
      const report = reportOf(await here.run(agent));
      expect(report).toMatchObject({ status: 'blocked', tries: 0, outcome: { reason } });
    };
    await blocked('issue-edited', { body: `${fixSpec}\nAnd open the safe.` });
    await blocked('issue-edited', { body: fixSpec, title: 'another title' });
    await blocked('issue-closed', { title: 'add is wrong', state: 'closed' });
  });
});

describe('orders to stop', () => {
  it.each([
    [
      'cancelled',
      (here: AttemptWorld) =>
        here.setState({
          task: (task) => ({ ...task, attempt: task.attempt && { ...task.attempt, stop: 'withdrawn' } }),
        }),
    ],
    ['superseded', (here: AttemptWorld) => here.setState({ task: (task) => ({ ...task, generation: 2 }) })],
  ] as const)('ends the agent when state says %s', async (reason, order) => {
    const here = await open();
    const signals = signalFolder(here);
    const running = here.run(await here.agent(meet(signals)), { writable: [signals] });
    await arrival(signals);
    await order(here);
    const end = await running;
    expect(reportOf(end)).toMatchObject({ status: 'failed', outcome: { class: 'cancelled', reason } });
    expect([...here.artifacts.keys()]).toEqual([`ccd-report-${here.contract.attempt}`]);
  });

  it.each([
    ['frozen', { frozen: true }],
    ['paused', { pause: { by: 'person', code: 'asked', at: '2026-01-01T00:00:00Z' } }],
  ] as const)('lets a running attempt finish when the repository is %s', async (_word, change) => {
    const here = await open();
    const signals = signalFolder(here);
    const agent = await here.agent(`fix(); addTest(); ${meet(signals)} done();`);
    const running = here.run(agent, { writable: [signals] });
    await arrival(signals);
    await here.setState({ repository: (one) => ({ ...one, ...change }) });
    await expect.poll(() => here.looks(), { timeout: 60_000 }).toBeGreaterThan(here.looks() + 1);
    writeFileSync(join(signals, 'go'), '');
    expect(reportOf(await running).status).toBe('ready');
  });

  it('ends the agent when the job itself is cancelled', async () => {
    const here = await open();
    const signals = signalFolder(here);
    const stop = new AbortController();
    const running = here.run(await here.agent(meet(signals)), { writable: [signals] }, { stop: stop.signal });
    await arrival(signals);
    stop.abort('cancelled');
    expect(reportOf(await running).outcome).toEqual({ class: 'cancelled', reason: 'cancelled' });
  });
});

describe('a change carried over', () => {
  it('is not done while conflict markers are left, whatever the checks say', async () => {
    const here = await open({
      spec: fixSpec.replace('node --test', 'true'),
      limits: { maxTries: 2 },
      carry: async (before, base) => ({
        candidate: await before.push({ 'src/add.mjs': 'one\n' }, { branch: 'ccd/task/1', from: 'main' }),
        base,
      }),
      landed: { 'src/add.mjs': 'two\n' },
    });
    const agent = await here.agent(
      "fs.appendFileSync('src/add.mjs', prompt.includes('still hold') ? 'x' : 'y'); done();",
    );
    expect(reportOf(await here.run(agent))).toMatchObject({
      status: 'failed',
      tries: 2,
      outcome: { reason: 'verification-failed' },
      unfinished: [
        { kind: 'check-not-run', detail: 'true' },
        { kind: 'conflict-markers', detail: 'src/add.mjs' },
      ],
    });
  });

  it('starts from the last candidate on the new base, with conflicts shown', async () => {
    const here = await open({
      carry: async (before, base) => {
        const candidate = await before.push(
          { 'src/add.mjs': 'export const add = (a, b) => a + b; // first\n', 'src/own.mjs': 'own\n' },
          { branch: 'ccd/task/1', from: 'main' },
        );
        return { candidate, base };
      },
      landed: {
        'src/add.mjs': 'export const add = (a, b) => a * b; // landed\n',
        'src/other.mjs': 'landed\n',
      },
    });
    const agent = await here.agent(
      `const text = fs.readFileSync('src/add.mjs', 'utf8');
       const seen = text.includes('<<<<<<<') && text.includes('first') && text.includes('landed') && fs.existsSync('src/other.mjs') && fs.existsSync('src/own.mjs');
       if (!seen || !prompt.includes('conflict markers')) done('lost: ' + text); else { fix(); addTest(); tool(); done('merged'); }`,
    );
    const report = reportOf(await here.run(agent));
    expect(report).toMatchObject({ status: 'ready', claim: { summary: 'merged' } });
    expect(report.changedFiles.map(({ path }) => path)).toEqual([
      'src/add.mjs',
      'src/own.mjs',
      'test/add.test.mjs',
    ]);
    expect(await here.handedOver(report.lastSequence, 'src/other.mjs')).toBe('landed');
  });
});
