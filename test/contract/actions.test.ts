import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createActions, type LocalActions } from '../../src/local/actions/actions.ts';
import { currentJobs, type RunRecord } from '../../src/local/actions/runs/records.ts';
import { type LocalWorld, openWorld } from './support/local-world.ts';

const r = { owner: 'acme', repo: 'demo' };
const FILE = `
name: Work
on: {workflow_dispatch: {inputs: {hold: {default: ''}}}, push: {branches: [go]}, repository_dispatch: {types: [go]}}
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo started; if [ -n "\${{ inputs.hold }}" ]; then sleep 600; fi
      - run: echo content > file.txt
      - uses: actions/upload-artifact@v4
        with: {name: result, path: file.txt}
      - run: echo '::warning file=a.txt,line=1::look'; test "$GITHUB_RUN_ATTEMPT" != 1
      - uses: actions/cache@v4
        with: {path: file.txt, key: "k-\${{ github.run_id }}"}
  b: {needs: a, runs-on: ubuntu-latest, concurrency: one, steps: [{run: echo hi}]}
  c: {runs-on: ubuntu-latest, environment: "\${{ github.event_name == 'repository_dispatch' && 'guarded' || 'open' }}", steps: [{run: echo hi}]}
`;

let world: LocalWorld;
let actions: LocalActions;
beforeAll(async () => {
  world = await openWorld();
  actions = createActions(world.github);
  actions.startRunner({ stopTimes: { afterInterrupt: 300, afterTerminate: 300, outputGrace: 200 } });
  const script = `rm -rf w && git clone -q "${world.remote(world.tokens.owner)}" w && cd w && mkdir -p .github/workflows
    cat > .github/workflows/work.yml <<'YAML'\n${FILE}\nYAML
    git add . && git commit -q -m 'Add a workflow' && git push -q origin main`;
  const done = await world.sh(script);
  expect(done.code, done.out).toBe(0);
});
afterAll(async () => {
  await actions.close();
  await world.close();
});

async function refused(call: Promise<unknown>): Promise<number> {
  return call.then(
    () => -1,
    (error: { status: number }) => error.status,
  );
}

async function dispatch(inputs: Record<string, string> = {}): Promise<RunRecord> {
  const { data } = await world.asApp.request(
    'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches',
    {
      ...r,
      workflow_id: 'work.yml',
      ref: 'main',
      inputs,
      return_run_details: true,
    } as never,
  );
  return actions.run((data as unknown as { workflow_run_id: number }).workflow_run_id);
}

describe('Actions follow GitHub’s OpenAPI description', () => {
  it('workflows and dispatches', async () => {
    const { actions: api } = world.asApp.rest;
    const { data } = await api.listRepoWorkflows(r);
    expect(data.workflows.map((one) => [one.name, one.path])).toEqual([
      ['Work', '.github/workflows/work.yml'],
    ]);
    expect((await api.getWorkflow({ ...r, workflow_id: data.workflows[0]!.id })).data.state).toBe('active');
    expect(await refused(api.getWorkflow({ ...r, workflow_id: 'none.yml' }))).toBe(404);
    expect((await api.createWorkflowDispatch({ ...r, workflow_id: 'work.yml', ref: 'main' })).status).toBe(
      204,
    );
    expect(await refused(api.createWorkflowDispatch({ ...r, workflow_id: 'work.yml', ref: 'none' }))).toBe(
      422,
    );
    expect(
      await refused(
        world.asReader.rest.actions.createWorkflowDispatch({ ...r, workflow_id: 'work.yml', ref: 'main' }),
      ),
    ).toBe(403);
    await actions.idle();
  });

  it('runs, jobs, logs, artifacts', async () => {
    const { actions: api } = world.asApp.rest;
    const run = await dispatch();
    await actions.completed(run.id);
    const at = { ...r, run_id: run.id };
    expect((await api.getWorkflowRun(at)).data.conclusion).toBe('failure');
    expect(await refused(api.getWorkflowRun({ ...r, run_id: 1 }))).toBe(404);
    expect(
      (await api.listWorkflowRunsForRepo({ ...r, status: 'completed' })).data.total_count,
    ).toBeGreaterThan(0);
    expect(
      (await api.listWorkflowRuns({ ...r, workflow_id: 'work.yml', per_page: 1 })).data.workflow_runs,
    ).toHaveLength(1);
    expect(await refused(api.listWorkflowRuns({ ...r, workflow_id: 'none.yml' }))).toBe(404);
    const { data: jobs } = await api.listJobsForWorkflowRun(at);
    expect(jobs.jobs.map((job) => [job.name, job.conclusion])).toEqual([
      ['a', 'failure'],
      ['c', 'success'],
      ['b', 'skipped'],
    ]);
    const job_id = jobs.jobs[0]!.id;
    expect((await api.getJobForWorkflowRun({ ...r, job_id })).data.steps?.[0]?.name).toBe('Set up job');
    expect(await refused(api.getJobForWorkflowRun({ ...r, job_id: 1 }))).toBe(404);
    expect(String((await api.downloadJobLogsForWorkflowRun({ ...r, job_id })).data)).toContain('started');
    expect((await api.downloadWorkflowRunLogs(at)).status).toBe(200);
    expect((await api.listJobsForWorkflowRunAttempt({ ...at, attempt_number: 1 })).data.total_count).toBe(3);
    expect(await refused(api.listJobsForWorkflowRunAttempt({ ...at, attempt_number: 2 }))).toBe(404);
    const check = (await world.asApp.rest.checks.get({ ...r, check_run_id: job_id })).data;
    expect([check.conclusion, check.output.annotations_count]).toEqual(['failure', 2]);
    const { data: found } = await api.listWorkflowRunArtifacts(at);
    const artifact_id = found.artifacts[0]!.id;
    expect((await api.listArtifactsForRepo({ ...r, name: 'result' })).data.artifacts[0]?.id).toBeGreaterThan(
      0,
    );
    expect((await api.getArtifact({ ...r, artifact_id })).data.digest).toMatch(/^sha256:/);
    expect((await api.downloadArtifact({ ...r, artifact_id, archive_format: 'zip' })).status).toBe(200);
    expect((await api.deleteArtifact({ ...r, artifact_id })).status).toBe(204);
    expect(await refused(api.getArtifact({ ...r, artifact_id }))).toBe(404);
    expect((await api.reRunWorkflowFailedJobs(at)).status).toBe(201);
    await actions.completed(run.id);
    expect(run.conclusion).toBe('success');
    expect((await api.reRunWorkflow(at)).status).toBe(201);
    expect(await refused(api.reRunWorkflow(at))).toBe(403);
    await actions.completed(run.id);
    expect(await refused(api.cancelWorkflowRun(at))).toBe(409);
    expect((await api.deleteWorkflowRun(at)).status).toBe(204);
    expect(await refused(api.getWorkflowRun(at))).toBe(404);
  });

  it('attempts, one job again, caches', async () => {
    const { actions: api } = world.asApp.rest;
    const run = await dispatch();
    await actions.completed(run.id);
    const job_id = currentJobs(run).find((job) => job.key === 'a')!.id;
    expect((await api.reRunJobForWorkflowRun({ ...r, job_id })).status).toBe(201);
    expect(await refused(api.reRunJobForWorkflowRun({ ...r, job_id }))).toBe(403);
    await actions.completed(run.id);
    expect(run.conclusion).toBe('success');
    const at = { ...r, run_id: run.id, attempt_number: 1 };
    expect((await api.getWorkflowRunAttempt(at)).data.conclusion).toBe('failure');
    expect(await refused(api.getWorkflowRunAttempt({ ...at, attempt_number: 3 }))).toBe(404);
    expect((await api.downloadWorkflowRunAttemptLogs(at)).status).toBe(200);
    const key = `k-${run.id}`;
    const { data } = await api.getActionsCacheList({ ...r, key });
    expect(data.actions_caches.map((one) => one.key)).toEqual([key]);
    const cache_id = data.actions_caches[0]!.id!;
    expect((await api.deleteActionsCacheByKey({ ...r, key })).data.total_count).toBe(1);
    expect(await refused(api.deleteActionsCacheById({ ...r, cache_id }))).toBe(404);
  });

  it('environments with reviewers, started from outside', async () => {
    const { actions: api, repos } = world.asWriter.rest;
    actions.environments.set(world.repo, 'guarded', { reviewers: [world.writer] });
    expect(
      (await repos.createDispatchEvent({ ...r, event_type: 'go', client_payload: { a: 1 } })).status,
    ).toBe(204);
    expect(await refused(repos.createDispatchEvent({ ...r, event_type: '' }))).toBe(422);
    const run = await actions.waitForRun((one) => one.cause.event === 'repository_dispatch');
    const at = { ...r, run_id: run.id };
    await actions.waitFor(run.id, () => actions.engine.approvals.pendingOf(run).length > 0);
    const { data } = await api.getPendingDeploymentsForRun(at);
    expect(data.map((one) => [one.environment.name, one.current_user_can_approve])).toEqual([
      ['guarded', true],
    ]);
    const review = {
      ...at,
      environment_ids: [data[0]!.environment.id!],
      state: 'approved' as const,
      comment: '',
    };
    expect(await refused(world.asReader.rest.actions.reviewPendingDeploymentsForRun(review))).toBe(422);
    expect((await api.reviewPendingDeploymentsForRun(review)).data[0]?.environment).toBe('guarded');
    await actions.completed(run.id);
    expect((await api.getReviewsForRun(at)).data.map((one) => one.state)).toEqual(['approved']);
  });

  it('cancel and force-cancel', async () => {
    const { actions: api } = world.asApp.rest;
    for (const cancel of [api.cancelWorkflowRun, api.forceCancelWorkflowRun]) {
      const run = await dispatch({ hold: 'yes' });
      await actions.waitFor(run.id, (one) =>
        currentJobs(one).some((job) => job.log.some((line) => line.endsWith(' started'))),
      );
      expect((await cancel({ ...r, run_id: run.id })).status).toBe(202);
      await actions.completed(run.id);
      expect((await api.getWorkflowRun({ ...r, run_id: run.id })).data.conclusion).toBe('cancelled');
      expect(await refused(api.forceCancelWorkflowRun({ ...r, run_id: run.id }))).toBe(409);
    }
  });

  it('no operation of Actions is left unchecked, and no webhook differs', async () => {
    await world.github.deliveries.idle();
    const { contract, router, deliveries } = world.github;
    expect(contract?.violations).toEqual([]);
    const served = router.routes
      .map((route) => route.operationId)
      .filter((id) => id.startsWith('actions/') || id === 'repos/create-dispatch-event');
    const checked = served.filter((id) => contract?.seenOperations.has(id));
    process.stdout.write(
      `contract: ${checked.length} operations of Actions validated of ${served.length} served\n`,
    );
    expect(checked).toEqual(served);
    const sent = new Set(deliveries.list.map((one) => `${one.event}.${one.action}`));
    for (const name of ['requested', 'in_progress', 'completed'])
      expect(sent).toContain(`workflow_run.${name}`);
    for (const name of ['waiting', 'queued', 'in_progress', 'completed'])
      expect(sent).toContain(`workflow_job.${name}`);
  });

  it('a broken field turns an answer into an error', async () => {
    const run = [...actions.engine.runs.values()][0]!;
    (run as { displayTitle: unknown }).displayTitle = 7;
    expect(await refused(world.asApp.rest.actions.getWorkflowRun({ ...r, run_id: run.id }))).toBe(500);
  });
});
