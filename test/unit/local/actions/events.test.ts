import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../../src/local/actions/runs/records.ts';
import { createApp, installApp } from '../../../../src/local/seed.ts';
import { type ActionsWorld, jobOf, logText, octokitFor, openWorld } from './support/actions-world.ts';

const AT = { owner: 'ada', repo: 'demo' };
const run = (script: string) => `jobs:\n  a: {runs-on: ubuntu-latest, steps: [{run: '${script}'}]}\n`;

/** The time that the local GitHub is told; the machine's until it is set. */
let told: number | null = null;
let world: ActionsWorld;
let first: string;
beforeAll(async () => {
  world = await openWorld({ now: () => told ?? Date.now() });
  world.runner();
  first = await world.push({
    '.github/workflows/built.yml': `name: Build\non: {push: {branches: [build-*]}}\n${run('test $GITHUB_REF_NAME != build-bad')}`,
    '.github/workflows/after.yml': `name: After\non: {workflow_run: {workflows: [Build], types: [completed], branches: ['build-*']}}\n${run('echo "after ${{ github.event.workflow_run.conclusion }} ${{ github.event.workflow_run.head_branch }} on $GITHUB_REF"')}`,
    '.github/workflows/begun.yml': `on: {workflow_run: {workflows: [Build], types: [requested], branches-ignore: [build-bad]}}\n${run('echo begun')}`,
    '.github/workflows/loop.yml': `name: Loop\non: {workflow_run: {workflows: [After, Loop], types: [completed]}}\n${run('echo again')}`,
    '.github/workflows/outside.yml': `on: {repository_dispatch: {types: [deploy]}}\n${run('echo "where=${{ github.event.client_payload.where }} action=${{ github.event.action }}"')}`,
    '.github/workflows/hand.yml': `on: {workflow_dispatch: {inputs: {n: {type: number, default: 3}, sure: {type: boolean}, size: {type: choice, options: [s, m], default: m}}}}\n${run('echo "${{ inputs.n == 3 }} ${{ inputs.sure && 1 || 2 }} ${{ inputs.size }} ${{ github.event.inputs.sure && 1 || 2 }}"')}`,
    '.github/workflows/issues.yml': `on: {issues: {types: [labeled]}, issue_comment: {types: [created]}}\n${run('echo "${{ github.event_name }} ${{ github.event.issue.number }}"')}`,
    '.github/workflows/checks.yml': `on: {check_run: {types: [completed]}}\n${run('echo "check ${{ github.event.check_run.name }}"')}`,
    '.github/workflows/nightly.yml': `on: {schedule: [{cron: '0 3 * * *', timezone: Europe/Berlin}, {cron: '15 4 * * 1'}]}\n${run('echo "at ${{ github.event.schedule }}"')}`,
    '.github/workflows/target.yml': `on: {pull_request_target: {types: [opened]}}\n${run('echo "target $GITHUB_REF $GITHUB_SHA ${{ github.event.pull_request.head.ref }}"')}`,
    '.github/workflows/tags.yml': `on: {push: {tags: ['v*', '!v*-rc']}}\n${run('echo tag $GITHUB_REF_NAME')}`,
  });
  await world.actions.idle();
});
afterAll(() => world.close());

const known = new Set<number>();
/** Runs that are new since the last look, all of them over. */
async function started(): Promise<RunRecord[]> {
  await world.actions.idle();
  const all = [...world.actions.engine.runs.values()].filter((one) => !known.has(one.id));
  for (const one of all) known.add(one.id);
  return all;
}
const names = (runs: readonly RunRecord[]) => runs.map((one) => one.workflow.path.split('/').at(-1)).sort();
const said = (runs: readonly RunRecord[], file: string) =>
  logText(jobOf(runs.find((one) => one.workflow.path.endsWith(file))!, 'a'));

describe('workflow_run', () => {
  it('starts the default branch’s workflows when a named one is requested or completed, three levels deep', async () => {
    await started();
    const sha = await world.push({ x: '1' }, { branch: 'build-1' });
    const runs = await started();
    expect(names(runs)).toEqual(['after.yml', 'begun.yml', 'built.yml', 'loop.yml', 'loop.yml']);
    expect(said(runs, 'after.yml')).toContain('after success build-1 on refs/heads/main');
    const after = runs.find((one) => one.workflow.path.endsWith('after.yml'))!;
    expect([after.cause.sha, after.cause.headSha, sha]).toEqual([first, first, sha]);
    expect(after.displayTitle).toBe('After');
  });

  it('follows filters of branches, and tells of failures', async () => {
    await world.push({ x: '2' }, { branch: 'build-bad' });
    const runs = await started();
    expect(names(runs)).toEqual(['after.yml', 'built.yml', 'loop.yml', 'loop.yml']);
    expect(said(runs, 'after.yml')).toContain('after failure build-bad');
  });
});

/** Octokit with the token of a job. */
const asJob = () =>
  octokitFor(
    world.github,
    world.github.store.createJobToken({
      repo: world.repo,
      runId: 1,
      permissions: {
        actions: 'write',
        contents: 'write',
        issues: 'write',
        checks: 'write',
        metadata: 'read',
      },
    }),
  );

describe('dispatches', () => {
  it('of the repository start by type, also by the workflow’s own token', async () => {
    const { octokit } = world;
    const send = (event_type: string, by = octokit) =>
      by.rest.repos.createDispatchEvent({ ...AT, event_type, client_payload: { where: 'moon' } });
    expect((await send('deploy')).status).toBe(204);
    await send('other');
    await send('deploy', asJob());
    const runs = await started();
    expect(names(runs)).toEqual(['outside.yml', 'outside.yml']);
    expect(said(runs, 'outside.yml')).toContain('where=moon action=deploy');
    expect(runs.map((one) => one.actor.user.login)).toEqual(['ada', 'github-actions[bot]']);
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`k${index}`, 1]));
    for (const body of [{ event_type: 'x'.repeat(101) }, { event_type: 'x', client_payload: many }])
      await expect(octokit.rest.repos.createDispatchEvent({ ...AT, ...body })).rejects.toMatchObject({
        status: 422,
      });
  });

  it('of a workflow bring typed inputs and text in the event, also by the workflow’s own token', async () => {
    await asJob().rest.actions.createWorkflowDispatch({ ...AT, workflow_id: 'hand.yml', ref: 'main' });
    expect(said(await started(), 'hand.yml')).toContain('true 2 m 1');
  });

  it('are the only thing that the workflow’s token starts', async () => {
    const byJob = asJob();
    const { data: issue } = await byJob.rest.issues.create({ ...AT, title: 'x' });
    await byJob.rest.issues.createComment({ ...AT, issue_number: issue.number, body: 'y' });
    await byJob.rest.git.createRef({ ...AT, ref: 'refs/tags/v0', sha: first });
    await byJob.rest.checks.create({ ...AT, name: 'z', head_sha: first, conclusion: 'success' });
    expect(names(await started())).toEqual([]);
  });
});

describe('other events', () => {
  it('issues, comments and check runs start by their activity', async () => {
    const { octokit } = world;
    const { data: issue } = await octokit.rest.issues.create({ ...AT, title: 'Broken' });
    await octokit.rest.issues.addLabels({ ...AT, issue_number: issue.number, labels: ['bug'] });
    await octokit.rest.issues.createComment({ ...AT, issue_number: issue.number, body: 'Yes' });
    const runs = await started();
    expect(names(runs)).toEqual(['issues.yml', 'issues.yml']);
    expect(runs.map((one) => logText(jobOf(one, 'a'))).join()).toContain(`issue_comment ${issue.number}`);
    expect(runs.map((one) => one.displayTitle)).toEqual(['Broken', 'Broken']);
    const { store } = world.github;
    const permissions = { checks: 'write', metadata: 'read' } as const;
    const app = createApp(store, { slug: 'judge', owner: world.owner, permissions });
    const installation = installApp(store, app, world.owner);
    const byApp = new Octokit({
      baseUrl: `${world.github.url}/api/v3`,
      authStrategy: createAppAuth,
      auth: { appId: app.id, privateKey: app.privateKey, installationId: installation.id },
    });
    await byApp.rest.checks.create({ ...AT, name: 'verdict', head_sha: first, conclusion: 'success' });
    expect(said(await started(), 'checks.yml')).toContain('check verdict');
  });

  it('pull_request_target runs the base’s file on the base', async () => {
    await world.push({ y: '1' }, { branch: 'feature' });
    await started();
    await world.octokit.rest.pulls.create({ ...AT, head: 'feature', base: 'main', title: 'A feature' });
    const runs = await started();
    expect(names(runs)).toEqual(['target.yml']);
    expect(said(runs, 'target.yml')).toContain(`target refs/heads/main ${first} feature`);
  });

  it('an event that nothing here is started by is said by name', async () => {
    const files = {
      '.github/workflows/review.yml': `on: [pull_request_review, release]\n${run('echo never')}`,
    };
    await world.push(files);
    const { data: pulls } = await world.octokit.rest.pulls.list(AT);
    await world.octokit.rest.pulls.createReview({
      ...AT,
      pull_number: pulls[0]!.number,
      event: 'COMMENT',
      body: 'Fine',
    });
    const runs = await started();
    expect(runs.map((one) => [one.conclusion, one.problems.join()])).toEqual([
      ['startup_failure', expect.stringContaining('on.pull_request_review: the local runner starts nothing')],
    ]);
  });

  it('tags start by their own filters', async () => {
    const { git } = world.octokit.rest;
    for (const tag of ['v1', 'v1-rc', 'w1'])
      await git.createRef({ ...AT, ref: `refs/tags/${tag}`, sha: first });
    expect(said(await started(), 'tags.yml')).toContain('tag v1');
  });

  it('schedules come due by the clock, in their zone, each once', async () => {
    const tick = async (time: string) => {
      told = Date.parse(time);
      return (await world.actions.tick()).map((one) => one.cause.payload.schedule);
    };
    await tick('2126-03-10T01:59:00Z');
    await started();
    expect(await tick('2126-03-10T02:00:10Z')).toEqual(['0 3 * * *']);
    expect(await tick('2126-03-10T02:00:50Z')).toEqual([]);
    expect(await tick('2126-03-09T00:00:00Z')).toEqual([]);
    expect(await tick('2126-03-20T00:00:00Z')).toEqual(['0 3 * * *', '15 4 * * 1']);
    const runs = await started();
    expect(runs.map((one) => [one.cause.event, one.cause.ref])).toContainEqual([
      'schedule',
      'refs/heads/main',
    ]);
  });
});
