import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currentJobs, type RunRecord } from '../../../../src/local/actions/runs/records.ts';
import { type ActionsWorld, jobOf, logText, openWorld, processesOf } from './support/actions-world.ts';

const AT = { owner: 'ada', repo: 'demo' };
const SLOW = 'sleep 600 & wait';
const DISPATCHED = `
name: Dispatched
run-name: "job \${{ inputs.attempt }}"
on:
  workflow_dispatch:
    inputs:
      attempt: {required: true, type: string}
      fast: {type: boolean, default: true}
      size: {type: choice, options: [s, m]}
jobs:
  work:
    runs-on: [self-hosted, ccd]
    steps:
      - run: 'echo "\${{ inputs.attempt }} \${{ inputs.fast && ''quick'' || ''slow'' }} \${{ inputs.size }} \${{ github.event.inputs.attempt }}"'
`;

let world: ActionsWorld;
let main: string;
beforeAll(async () => {
  world = await openWorld();
  world.runner({ labels: ['ccd'], concurrency: 3 });
  main = await world.push({ '.github/workflows/work.yml': DISPATCHED });
  await world.push({}, { branch: 'ccd/run' });
});
afterAll(() => world.close());

const dispatch = (parameters: Record<string, unknown> = {}) =>
  world.octokit.request('POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches', {
    ...AT,
    workflow_id: 'work.yml',
    ref: 'main',
    inputs: { attempt: '12.3' },
    ...parameters,
  });
const running = (run: RunRecord) =>
  world.actions.waitFor(run.id, (one) => currentJobs(one).some((job) => /^started$/m.test(logText(job))));
const status = async (call: Promise<unknown>) =>
  call.then(
    () => 'no error',
    (error: { status: number; message: string }) => `${error.status} ${error.message}`,
  );

describe('dispatch', () => {
  it('answers with the run when asked to, and runs the file of the ref', async () => {
    const { status: code, data } = await dispatch({ ref: 'refs/heads/ccd/run', return_run_details: true });
    expect(code).toBe(200);
    const id = (data as unknown as { workflow_run_id: number }).workflow_run_id;
    const run = await world.actions.completed(id);
    expect(run.conclusion).toBe('success');
    expect(logText(jobOf(run, 'work'))).toContain('12.3 quick s 12.3');
    const { data: shown } = await world.octokit.rest.actions.getWorkflowRun({ ...AT, run_id: id });
    expect(shown).toMatchObject({
      event: 'workflow_dispatch',
      path: '.github/workflows/work.yml',
      head_branch: 'ccd/run',
      display_title: 'job 12.3',
      name: 'Dispatched',
      run_attempt: 1,
      status: 'completed',
      conclusion: 'success',
      actor: { login: 'ada' },
    });
  });

  it('answers with the run unasked from version 2026-03-10 of the API on', async () => {
    const { status: code, data } = await dispatch({
      ref: 'refs/heads/ccd/run',
      headers: { 'x-github-api-version': '2026-03-10' },
    });
    expect([code, typeof (data as unknown as { workflow_run_id?: number }).workflow_run_id]).toEqual([
      200,
      'number',
    ]);
  });

  it('answers 204 without details, and lists the run', async () => {
    const { status: code } = await dispatch();
    expect(code).toBe(204);
    const { data } = await world.octokit.rest.actions.listWorkflowRuns({
      ...AT,
      workflow_id: 'work.yml',
      event: 'workflow_dispatch',
      branch: 'main',
      actor: 'ada',
      created: '>=2020-01-01',
    });
    expect(data.workflow_runs.map((run) => run.head_sha)).toEqual([main]);
    const none = await world.octokit.rest.actions.listWorkflowRunsForRepo({
      ...AT,
      head_sha: '0'.repeat(40),
    });
    expect(none.data.total_count).toBe(0);
    const future = await world.octokit.rest.actions.listWorkflowRunsForRepo({
      ...AT,
      created: '>2999-01-01',
    });
    expect(future.data.total_count).toBe(0);
  });

  it('refuses what GitHub refuses', async () => {
    expect(await status(dispatch({ ref: 'nowhere' }))).toContain('422 No ref found for: nowhere');
    expect(await status(dispatch({ inputs: { attempt: '1', other: 'x' } }))).toContain(
      '422 Unexpected inputs provided: ["other"]',
    );
    expect(await status(dispatch({ inputs: {} }))).toContain("422 Required input 'attempt' not provided");
    expect(await status(dispatch({ inputs: { attempt: '1', size: 'xl' } }))).toContain('422');
    expect(await status(dispatch({ workflow_id: 'absent.yml' }))).toContain('404');
    await world.push({ '.github/workflows/only.yml': DISPATCHED }, { branch: 'topic' });
    expect(await status(dispatch({ workflow_id: 'only.yml', ref: 'topic' }))).toContain('404');
    await world.push({
      '.github/workflows/pushed.yml': 'on: pull_request\njobs:\n  a: {runs-on: x, steps: [{run: a}]}\n',
    });
    expect(await status(dispatch({ workflow_id: 'pushed.yml' }))).toContain(
      "does not have 'workflow_dispatch' trigger",
    );
  });
});

describe('cancel', () => {
  const CANCEL = (script: string) => `
on: {push: {branches: ['cancel-*']}}
jobs:
  slow:
    runs-on: ubuntu-latest
    steps:
      - run: |
          echo started
          ${script}
      - if: cancelled()
        run: echo tidied \${{ job.status }}
  next: {needs: slow, runs-on: ubuntu-latest, steps: [{run: echo no}]}
  always: {needs: slow, if: always(), runs-on: ubuntu-latest, steps: [{run: echo yes}]}
`;
  const begin = async (script: string) => {
    const branch = `cancel-${world.actions.engine.runs.size}`;
    const sha = await world.push({ '.github/workflows/cancel.yml': CANCEL(script) }, { branch });
    const run = await world.actions.waitForRun(
      (one) => one.cause.headSha === sha && one.workflow.path.endsWith('cancel.yml'),
    );
    return running(run);
  };

  it('interrupts the step, lets the job tidy up, and leaves no process', async () => {
    const run = await begin(`trap 'echo interrupted; exit 0' INT; ${SLOW}`);
    const { status: code } = await world.octokit.rest.actions.cancelWorkflowRun({ ...AT, run_id: run.id });
    expect(code).toBe(202);
    await world.actions.completed(run.id);
    expect(run.conclusion).toBe('cancelled');
    expect(Object.fromEntries(currentJobs(run).map((job) => [job.key, job.conclusion]))).toEqual({
      slow: 'cancelled',
      next: 'skipped',
      always: 'success',
    });
    const log = logText(jobOf(run, 'slow'));
    expect(log).toContain('interrupted');
    expect(log).toContain('tidied cancelled');
    expect(processesOf(jobOf(run, 'slow'))).toEqual([]);
    expect(await status(world.octokit.rest.actions.cancelWorkflowRun({ ...AT, run_id: run.id }))).toContain(
      '409',
    );
  });

  it('kills at once when forced', async () => {
    const run = await begin(`trap '' INT TERM; ${SLOW}; ${SLOW}; ${SLOW}`);
    await world.octokit.request('POST /repos/{owner}/{repo}/actions/runs/{run_id}/force-cancel', {
      ...AT,
      run_id: run.id,
    });
    await world.actions.completed(run.id);
    expect(jobOf(run, 'slow').conclusion).toBe('cancelled');
    expect(logText(jobOf(run, 'slow'))).not.toContain('tidied');
    expect(processesOf(jobOf(run, 'slow'))).toEqual([]);
  });

  it('ends what hides: double forks in sessions of their own', async () => {
    const run = await world.runWorkflow(`
on: {push: {branches: [main]}}
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: |
          (setsid setsid sh -c 'sleep 600 & sleep 600' >/dev/null 2>&1 &)
          sleep 0.1
      - run: pgrep -x sleep >/dev/null && echo background lives on
`);
    expect(logText(jobOf(run, 'a'))).toContain('background lives on');
    expect(processesOf(jobOf(run, 'a'))).toEqual([]);
  });
});

describe('running again', () => {
  it('makes a new attempt of all jobs, or of the failed ones and what depends on them', async () => {
    const sha = await world.push({
      '.github/workflows/again.yml': `
on: {push: {branches: [main]}}
jobs:
  good: {runs-on: ubuntu-latest, outputs: {o: kept}, steps: [{run: echo attempt $GITHUB_RUN_ATTEMPT}]}
  flaky: {runs-on: ubuntu-latest, steps: [{run: test "$GITHUB_RUN_ATTEMPT" -ge 2}]}
  last: {needs: [good, flaky], runs-on: ubuntu-latest, steps: [{run: 'echo o=\${{ needs.good.outputs.o }}'}]}
`,
    });
    const run = await world.actions.waitForRun(
      (one) => one.cause.headSha === sha && one.workflow.path.endsWith('again.yml'),
    );
    await world.actions.completed(run.id);
    expect(run.conclusion).toBe('failure');
    const { status: code } = await world.octokit.rest.actions.reRunWorkflowFailedJobs({
      ...AT,
      run_id: run.id,
    });
    expect(code).toBe(201);
    await world.actions.completed(run.id);
    expect([run.attempt, run.conclusion]).toEqual([2, 'success']);
    expect(logText(jobOf(run, 'good'))).toContain('attempt 1');
    expect(logText(jobOf(run, 'last'))).toContain('o=kept');
    await world.octokit.rest.actions.reRunWorkflow({ ...AT, run_id: run.id });
    await world.actions.completed(run.id);
    expect(run.attempt).toBe(3);
    expect(logText(jobOf(run, 'good'))).toContain('attempt 3');
    const all = await world.octokit.rest.actions.listJobsForWorkflowRun({
      ...AT,
      run_id: run.id,
      filter: 'all',
    });
    expect(all.data.total_count).toBe(9);
    const first = await world.octokit.rest.actions.listJobsForWorkflowRunAttempt({
      ...AT,
      run_id: run.id,
      attempt_number: 1,
    });
    expect(first.data.jobs.map((job) => [job.name, job.conclusion])).toEqual([
      ['good', 'success'],
      ['flaky', 'failure'],
      ['last', 'skipped'],
    ]);
  });
});

describe('logs', () => {
  it('are downloaded by a signed address', async () => {
    await dispatch();
    const run = await world.actions.waitForRun(
      (one) => one.cause.event === 'workflow_dispatch' && one.cause.ref === 'refs/heads/main',
    );
    await world.actions.completed(run.id);
    const log = await world.octokit.rest.actions.downloadJobLogsForWorkflowRun({
      ...AT,
      job_id: jobOf(run, 'work').id,
    });
    expect(String(log.data)).toContain('12.3 quick s');
    const zip = await world.octokit.rest.actions.downloadWorkflowRunLogs({ ...AT, run_id: run.id });
    expect(
      Buffer.from(zip.data as ArrayBuffer)
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
    const forged = await fetch(
      `${world.github.url}/_actions/log/${jobOf(run, 'work').id}?se=9999999999999&sig=x`,
    );
    expect(forged.status).toBe(403);
  });
});

describe('a cancellation at any moment', () => {
  it('ends the job, however early it comes', async () => {
    const yaml = `
on: {push: {branches: ['early-*']}}
jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: 'trap "" INT; sleep 600'}, {run: 'sleep 600'}]}
`;
    const moments: ((run: RunRecord) => boolean)[] = [
      (run) => currentJobs(run).length > 0,
      (run) => run.status === 'in_progress',
      (run) => currentJobs(run).some((job) => job.steps.length > 1),
      (run) => currentJobs(run).some((job) => job.steps[1]?.status === 'in_progress'),
      (run) => currentJobs(run).some((job) => logText(job).includes('##[group]Run trap')),
    ];
    const sha = await world.push({ '.github/workflows/early.yml': yaml }, { branch: 'early-1' });
    const run = await world.actions.waitForRun(
      (one) => one.cause.headSha === sha && one.workflow.path.endsWith('early.yml'),
    );
    for (const [index, moment] of moments.entries()) {
      await world.actions.waitFor(run.id, moment);
      world.actions.engine.cancel(run, false);
      await world.actions.completed(run.id);
      expect([index, run.conclusion, currentJobs(run).flatMap(processesOf)]).toEqual([
        index,
        'cancelled',
        [],
      ]);
      world.actions.engine.rerun(run, { onlyFailed: false, actor: run.actor });
    }
    world.actions.engine.cancel(run, true);
    await world.actions.completed(run.id);
  });
});
