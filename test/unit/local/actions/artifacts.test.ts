import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readZip } from '../../../../src/local/actions/artifacts/zip-read.ts';
import { currentJobs, type RunRecord } from '../../../../src/local/actions/runs/records.ts';
import { type ActionsWorld, jobOf, logText, openWorld, processesOf } from './support/actions-world.ts';

const AT = { owner: 'ada', repo: 'demo' };
const CLIENT = pathToFileURL(resolve('node_modules/@actions/artifact/lib/artifact.js')).href;

/** An action that drives the real client, then waits for a file to appear. */
const ACTION = `
import { existsSync, writeFileSync } from 'node:fs';
const { DefaultArtifactClient } = await import(process.env.CLIENT);
const client = new DefaultArtifactClient();
const say = (name, value) => console.log(name + '=' + JSON.stringify(value));
const attempt = async (name, work) => { try { say(name, await work()); } catch (error) { say(name, String(error.message)); } };
process.on('SIGINT', () => console.log('interrupt seen'));
writeFileSync('report.txt', 'the report '.repeat(50_000));
await attempt('up', () => client.uploadArtifact(process.env.INPUT_NAME, ['report.txt'], process.cwd(), { retentionDays: 5 }));
await attempt('again', () => client.uploadArtifact(process.env.INPUT_NAME, ['report.txt'], process.cwd()));
await attempt('list', async () => (await client.listArtifacts()).artifacts.map((one) => one.name));
await attempt('get', async () => (await client.getArtifact(process.env.INPUT_NAME)).artifact.size > 0);
await attempt('down', async () => {
  const { artifact } = await client.getArtifact(process.env.INPUT_NAME);
  const done = await client.downloadArtifact(artifact.id, { path: 'got', expectedHash: artifact.digest });
  return { mismatch: done.digestMismatch, there: existsSync('got/report.txt') };
});
const gate = process.env.INPUT_GATE;
if (gate) { console.log('waiting'); while (!existsSync(gate)) await new Promise((r) => setTimeout(r, 20)); }
if (process.env.INPUT_LATE) await attempt('late', () => client.uploadArtifact(process.env.INPUT_LATE, ['report.txt'], process.cwd()));
if (process.env.INPUT_DELETE) await attempt('delete', () => client.deleteArtifact(process.env.INPUT_NAME));
if (process.env.INPUT_DONE) writeFileSync(process.env.INPUT_DONE, 'done');
`;

let world: ActionsWorld;
beforeAll(async () => {
  world = await openWorld();
  const action = join(world.scratch, 'uploader');
  await mkdir(action, { recursive: true });
  await writeFile(
    join(action, 'action.yml'),
    'name: up\ninputs: {name: {}, gate: {default: ""}, late: {default: ""}, done: {default: ""}, delete: {default: ""}}\nruns: {using: node20, main: main.mjs}\n',
  );
  await writeFile(join(action, 'main.mjs'), ACTION);
  world.runner({ actionMap: { 'acme/up': action }, env: { CLIENT }, concurrency: 2 });
});
afterAll(() => world.close());

function workflow(inputs: Record<string, string>): string {
  return `on: {push: {branches: [up]}}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: acme/up@v1\n        with: ${JSON.stringify(inputs)}\n`;
}

async function begin(inputs: Record<string, string>): Promise<RunRecord> {
  const sha = await world.push({ '.github/workflows/up.yml': workflow(inputs) }, { branch: 'up' });
  const run = await world.actions.waitForRun(
    (one) => one.cause.headSha === sha && one.workflow.path.endsWith('up.yml'),
  );
  return world.actions.waitFor(run.id, (one) =>
    currentJobs(one).some((job) => /^waiting$/m.test(logText(job))),
  );
}

describe('artifacts', () => {
  it('are uploaded by the real client and read over REST while the run goes on', async () => {
    const gate = join(world.scratch, 'gate-1');
    const run = await begin({ name: 'result', gate });
    expect(run.status).toBe('in_progress');
    const log = logText(jobOf(run, 'a'));
    expect(log).toContain(
      'again="Failed to CreateArtifact: Received non-retryable error: Failed request: (409)',
    );
    expect(log).toContain('list=["result"]');
    expect(log).toContain('get=true');
    expect(log).toContain('down={"mismatch":false,"there":true}');
    const { data } = await world.octokit.rest.actions.listWorkflowRunArtifacts({
      ...AT,
      run_id: run.id,
      name: 'result',
    });
    const [artifact] = data.artifacts;
    expect(data.total_count).toBe(1);
    expect(artifact).toMatchObject({
      name: 'result',
      expired: false,
      workflow_run: { id: run.id, head_sha: run.cause.headSha },
    });
    const days = (Date.parse(artifact!.expires_at!) - Date.parse(artifact!.created_at!)) / 86_400_000;
    expect(Math.round(days)).toBe(5);
    const zip = await world.octokit.rest.actions.downloadArtifact({
      ...AT,
      artifact_id: artifact!.id,
      archive_format: 'zip',
    });
    const bytes = Buffer.from(zip.data as ArrayBuffer);
    expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(artifact!.digest);
    expect(readZip(bytes, 10_000_000).map((entry) => [entry.path, entry.data.length])).toEqual([
      ['report.txt', 550_000],
    ]);
    await writeFile(gate, '');
    await world.actions.completed(run.id);
    const named = await world.octokit.rest.actions.listArtifactsForRepo({ ...AT, name: 'result' });
    expect(named.data.total_count).toBe(1);
    await world.octokit.rest.actions.deleteArtifact({ ...AT, artifact_id: artifact!.id });
    await expect(
      world.octokit.rest.actions.getArtifact({ ...AT, artifact_id: artifact!.id }),
    ).rejects.toMatchObject({ status: 404 });
  });

  it('are handed from job to job by the stand-ins', async () => {
    const run = await world.runWorkflow(`
on: push
jobs:
  make:
    runs-on: ubuntu-latest
    steps:
      - run: mkdir -p out/deep && echo one > out/one.txt && echo two > out/deep/two.txt && echo no > out/.hidden && echo no > out/skip.log
      - uses: actions/upload-artifact@v4
        with:
          name: pack
          path: |
            out/**
            !out/*.log
      - {uses: actions/upload-artifact@v4, with: {name: single, path: out/one.txt}}
      - {uses: actions/upload-artifact@v4, with: {name: none, path: absent, if-no-files-found: ignore}}
      - {id: dup, continue-on-error: true, uses: actions/upload-artifact@v4, with: {name: pack, path: out}}
      - run: echo "dup=\${{ steps.dup.outcome }}"
  take:
    needs: make
    runs-on: ubuntu-latest
    steps:
      - {uses: actions/download-artifact@v4, with: {name: pack, path: in}}
      - {uses: actions/download-artifact@v4, with: {path: all}}
      - run: cd in && find . -type f | sort | tr '\\n' ' ' && cd ../all && find . -type f | sort | tr '\\n' ' '
`);
    expect(run.conclusion).toBe('success');
    expect(logText(jobOf(run, 'make'))).toContain('dup=failure');
    expect(logText(jobOf(run, 'take'))).toContain(
      './deep/two.txt ./one.txt ./pack/deep/two.txt ./pack/one.txt ./single/one.txt',
    );
  });

  it('hold what links lead to within the job, and nothing of the machine', async () => {
    const secret = join(world.scratch, 'secret');
    await mkdir(secret);
    await writeFile(join(secret, 'key'), 'the key of the machine');
    const named = join(world.scratch, 'named');
    await mkdir(named);
    await writeFile(join(named, 'plain'), 'named by the workflow');
    const run = await world.runWorkflow(`
on: push
jobs:
  make:
    runs-on: ubuntu-latest
    steps:
      - run: |
          mkdir out && echo inside > inside.txt && ln -s ../inside.txt out/inside && ln -s ${secret}/key out/key
          ln -s ${secret} out/folder && ln -s ${secret}/key key && mkfifo out/pipe
      - {uses: actions/upload-artifact@v4, with: {name: linked, path: out}}
      - {uses: actions/upload-artifact@v4, with: {name: itself, path: key}}
      - {uses: actions/upload-artifact@v4, with: {name: elsewhere, path: '${named}'}}
`);
    expect(run.conclusion).toBe('success');
    expect(logText(jobOf(run, 'make')).match(/leads out of the job's folders/g)).toHaveLength(3);
    const made = world.actions.artifacts.ofRun(run);
    expect(made.map((one) => one.name).sort()).toEqual(['elsewhere', 'linked']);
    const filesOf = (name: string) =>
      readZip(made.find((one) => one.name === name)!.data, 1_000).map((one) => [one.path, `${one.data}`]);
    expect(filesOf('linked')).toEqual([['inside', 'inside\n']]);
    expect(filesOf('elsewhere')).toEqual([['plain', 'named by the workflow']]);
  });

  it('are refused to strangers', async () => {
    const call = (token: string, method = 'ListArtifacts', body: unknown = {}) =>
      fetch(`${world.github.url}/twirp/github.actions.results.api.v1.ArtifactService/${method}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
    expect((await call('a.b.c')).status).toBe(401);
    const anonymous = await fetch(`${world.github.url}/_actions/upload/1?se=9999999999999&sig=`, {
      method: 'PUT',
      body: 'x',
    });
    expect(anonymous.status).toBe(403);
  });
});

describe('a lost runner', () => {
  it('fails the run for GitHub while its processes live on and still hand in artifacts', async () => {
    const [gate, done] = [join(world.scratch, 'gate-2'), join(world.scratch, 'done-2')];
    const run = await begin({ name: 'early', gate, late: 'after', done });
    const job = jobOf(run, 'a');
    const [lost] = world.actions.lose(run);
    expect(lost).toBe(job);
    expect([run.status, run.conclusion, job.conclusion]).toEqual(['completed', 'failure', 'failure']);
    expect(job.annotations.at(-1)?.message).toContain('lost communication with the server');
    expect(processesOf(job).length).toBeGreaterThan(0);
    const other = await world.runWorkflow(
      'on: push\njobs:\n  a: {runs-on: ubuntu-latest, steps: [{run: echo next}]}\n',
    );
    expect(other.conclusion).toBe('success');
    expect(processesOf(job).length).toBeGreaterThan(0);
    await writeFile(gate, '');
    await world.actions.runners[0]!.gone(job);
    expect(world.actions.lateArtifacts().map((one) => one.name)).toEqual(['after']);
    expect([run.status, run.conclusion, job.conclusion]).toEqual(['completed', 'failure', 'failure']);
    expect(processesOf(job)).toEqual([]);
  });

  it('is refused by every door once its tokens are gone', async () => {
    const gate = join(world.scratch, 'gate-3');
    const run = await begin({ name: 'early', gate, late: 'after' });
    const job = jobOf(run, 'a');
    world.actions.lose(run, { keepTokens: false });
    await writeFile(gate, '');
    await world.actions.runners[0]!.gone(job);
    expect(logText(job)).toContain(
      'late="Failed to CreateArtifact: Received non-retryable error: Failed request: (401)',
    );
  });

  it('leaves no process when everything is closed', async () => {
    const gate = join(world.scratch, 'never');
    const run = await begin({ name: 'early', gate });
    const job = jobOf(run, 'a');
    world.actions.lose(run);
    expect(processesOf(job).length).toBeGreaterThan(0);
    await world.actions.close();
    expect(processesOf(job)).toEqual([]);
  });
});
