import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currentJobs } from '../../../../src/local/actions/runs/records.ts';
import { longToken } from '../../../../src/local/store.ts';
import { type ActionsWorld, jobOf, logText, openWorld } from './support/actions-world.ts';

const AT = { owner: 'ada', repo: 'demo' };
const job =
  'jobs:\n  a: {runs-on: ubuntu-latest, steps: [{run: echo "$GITHUB_REF $GITHUB_BASE_REF $GITHUB_SHA"}]}\n';

let world: ActionsWorld;
beforeAll(async () => {
  world = await openWorld();
  world.runner();
  await world.push({
    '.github/workflows/queue.yml': `on: {push: {branches: ['ccd/queue/**']}}\n${job}`,
    '.github/workflows/docs.yml': `on: {push: {branches-ignore: ['ccd/**'], paths: ['docs/**', '!docs/private/**']}}\n${job}`,
    '.github/workflows/pull.yml': `on: {pull_request: {branches: [main]}}\n${job}`,
    'docs/private/a.md': 'a',
  });
  await world.actions.idle();
});
afterAll(() => world.close());

async function startedBy(sha: string): Promise<string[]> {
  await world.actions.idle();
  const runs = [...world.actions.engine.runs.values()].filter((run) => run.cause.headSha === sha);
  return runs.map((run) => run.workflow.path.replace('.github/workflows/', '')).sort();
}

describe('triggers', () => {
  it('follow branch and path filters', async () => {
    expect(await startedBy(await world.push({ 'docs/a.md': '1' }))).toEqual(['docs.yml']);
    expect(await startedBy(await world.push({ 'docs/private/b.md': '1' }))).toEqual([]);
    expect(await startedBy(await world.push({ 'src/a.ts': '1' }))).toEqual([]);
    expect(await startedBy(await world.push({ 'docs/c.md': '1' }, { branch: 'ccd/queue/main/7' }))).toEqual([
      'queue.yml',
    ]);
    expect(await startedBy(await world.push({ 'docs/d.md': '1' }, { branch: 'topic' }))).toEqual([
      'docs.yml',
    ]);
  });

  it('obey a request to skip in the message', async () => {
    expect(await startedBy(await world.push({ 'docs/e.md': '1' }, { message: 'Docs [skip ci]' }))).toEqual(
      [],
    );
  });

  it('start nothing for what a job token does, and everything for an app', async () => {
    const token = world.github.store.createJobToken({
      repo: world.repo,
      runId: 1,
      permissions: { contents: 'write', metadata: 'read' },
    });
    expect(token.length).toBe(longToken((bytes) => 'ab'.repeat(bytes)).length);
    expect(await startedBy(await world.push({ 'docs/f.md': '1' }, { token }))).toEqual([]);
    expect(await startedBy(await world.push({ 'docs/g.md': '1' }))).toEqual(['docs.yml']);
  });

  it('run pull requests on the test merge', async () => {
    const head = await world.push({ 'src/b.ts': '1' }, { branch: 'feature', message: 'Feature' });
    const { data: pull } = await world.octokit.rest.pulls.create({
      ...AT,
      head: 'feature',
      base: 'main',
      title: 'A feature',
    });
    await world.actions.idle();
    const run = await world.actions.waitForRun((one) => one.cause.event === 'pull_request');
    expect(run).toMatchObject({
      displayTitle: 'A feature',
      cause: { headSha: head, headBranch: 'feature', pullNumber: pull.number },
    });
    const merge = await world.repo.git.ref(`refs/pull/${pull.number}/merge`);
    expect(run.cause.sha).toBe(merge);
    expect(logText(jobOf(run, 'a'))).toContain(`refs/pull/${pull.number}/merge main ${merge}`);
    const { data } = await world.octokit.rest.actions.listWorkflowRunsForRepo({
      ...AT,
      event: 'pull_request',
    });
    expect(data.workflow_runs[0]?.pull_requests?.[0]?.number).toBe(pull.number);
  });
});

describe('concurrency', () => {
  const file = (cancel: boolean) => `
on: {push: {branches: ['conc-*']}}
concurrency: {group: "G-\${{ github.event_name }}", cancel-in-progress: ${cancel}}
jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: 'echo started; while [ ! -e ${'$'}{{ vars.GATE }} ]; do sleep 0.02; done'}]}
`;
  it('keeps one running and one pending, which a newer one replaces', async () => {
    const { writeFile } = await import('node:fs/promises');
    const gate = `${world.scratch}/gate`;
    world.repo.variables.set('GATE', gate);
    const files = { '.github/workflows/conc.yml': file(false) };
    const runs = [];
    for (const branch of ['conc-1', 'conc-2', 'conc-3']) {
      const sha = await world.push(files, { branch });
      runs.push(
        await world.actions.waitForRun(
          (one) =>
            one.cause.headSha === sha &&
            one.workflow.path.endsWith('conc.yml') &&
            one.cause.headBranch === branch,
        ),
      );
    }
    const [first, second, third] = runs as [(typeof runs)[0], (typeof runs)[0], (typeof runs)[0]];
    await world.actions.waitFor(first!.id, (one) =>
      currentJobs(one).some((job) => /^started$/m.test(logText(job))),
    );
    expect([first!.status, second!.conclusion, third!.status]).toEqual([
      'in_progress',
      'cancelled',
      'pending',
    ]);
    await writeFile(gate, '');
    await world.actions.completed(third!.id);
    expect([first!.conclusion, third!.conclusion]).toEqual(['success', 'success']);
  });

  it('cancels what runs when told to', async () => {
    world.repo.variables.set('GATE', `${world.scratch}/never`);
    const files = { '.github/workflows/conc.yml': file(true) };
    const a = await world.push(files, { branch: 'conc-4' });
    const first = await world.actions.waitForRun((one) => one.cause.headSha === a);
    await world.actions.waitFor(first.id, (one) =>
      currentJobs(one).some((job) => /^started$/m.test(logText(job))),
    );
    world.repo.variables.set('GATE', '/');
    const b = await world.push(files, { branch: 'conc-5', message: 'again' });
    const second = await world.actions.waitForRun((one) => one.cause.headSha === b);
    await world.actions.completed(second.id);
    expect([first.conclusion, second.conclusion]).toEqual(['cancelled', 'success']);
  });
});
