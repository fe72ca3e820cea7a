import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readZip } from '../../../../src/local/actions/artifacts/zip-read.ts';
import { currentJobs, type JobRecord, type RunRecord } from '../../../../src/local/actions/runs/records.ts';
import { type ActionsWorld, jobOf, logText, openWorld } from './support/actions-world.ts';

const AT = { owner: 'ada', repo: 'demo' };

let world: ActionsWorld;
beforeAll(async () => {
  world = await openWorld();
  world.runner();
});
afterAll(() => world.close());

const attemptOf = (job: JobRecord) => /ran in (\d)/.exec(logText(job))?.[1] ?? job.conclusion;
const ran = (run: RunRecord) => Object.fromEntries(currentJobs(run).map((job) => [job.name, attemptOf(job)]));
const status = (call: Promise<{ status: number }>) =>
  call.then(
    (answer) => answer.status,
    (error: { status: number }) => error.status,
  );

describe('another attempt', () => {
  let run: RunRecord;
  beforeAll(async () => {
    run = await world.runWorkflow(`
on: push
jobs:
  good: {runs-on: ubuntu-latest, steps: [{run: echo ran in $GITHUB_RUN_ATTEMPT}, {run: echo kept > f.txt}, {uses: actions/upload-artifact@v4, with: {name: made, path: f.txt}}]}
  cells:
    strategy: {fail-fast: false, matrix: {n: [1, 2, 3]}}
    runs-on: ubuntu-latest
    steps: [{run: 'echo ran in $GITHUB_RUN_ATTEMPT; test \${{ matrix.n }} != 2 -o $GITHUB_RUN_ATTEMPT -ge 2'}]
  last:
    needs: [good, cells]
    runs-on: ubuntu-latest
    steps:
      - run: echo ran in $GITHUB_RUN_ATTEMPT
      - uses: actions/download-artifact@v4
        with: {name: made}
      - run: cat f.txt
  stays: {runs-on: ubuntu-latest, steps: [{run: echo ran in $GITHUB_RUN_ATTEMPT; exit 1}]}
`);
  });

  it('of one job runs it and what depends on it, and leaves everything else as it was', async () => {
    const cell = currentJobs(run).find((job) => job.name === 'cells (2)')!;
    expect([run.conclusion, cell.conclusion]).toEqual(['failure', 'failure']);
    const again = () => world.octokit.rest.actions.reRunJobForWorkflowRun({ ...AT, job_id: cell.id });
    expect(await status(again())).toBe(201);
    expect(await status(again())).toBe(403);
    await world.actions.completed(run.id);
    expect(ran(run)).toEqual({
      good: '1',
      'cells (1)': '1',
      'cells (2)': '2',
      'cells (3)': '1',
      last: '2',
      stays: '1',
    });
    // What a job that was not run again had uploaded is still there.
    expect(logText(jobOf(run, 'last'))).toContain('kept');
    expect(run.conclusion).toBe('failure');
  });

  it('of what failed runs just the cells of a matrix that did', async () => {
    expect(await status(world.octokit.rest.actions.reRunWorkflowFailedJobs({ ...AT, run_id: run.id }))).toBe(
      201,
    );
    await world.actions.completed(run.id);
    expect(ran(run)).toMatchObject({ good: '1', 'cells (2)': '2', last: '2', stays: '3' });
  });

  it('leaves the earlier ones to be looked at, with their logs', async () => {
    const { actions } = world.octokit.rest;
    const shown = async (attempt_number: number) =>
      (await actions.getWorkflowRunAttempt({ ...AT, run_id: run.id, attempt_number })).data;
    expect(await shown(1)).toMatchObject({ run_attempt: 1, conclusion: 'failure', status: 'completed' });
    expect(await shown(3)).toMatchObject({ run_attempt: 3, triggering_actor: { login: 'ada' } });
    expect((await shown(2)).previous_attempt_url).toMatch(/attempts\/1$/);
    expect(await status(actions.getWorkflowRunAttempt({ ...AT, run_id: run.id, attempt_number: 4 }))).toBe(
      404,
    );
    const zip = await actions.downloadWorkflowRunAttemptLogs({ ...AT, run_id: run.id, attempt_number: 1 });
    const files = readZip(Buffer.from(zip.data as ArrayBuffer), 1_000_000);
    expect(files.map((file) => file.path)).toEqual([
      '0_good.txt',
      '1_cells (1).txt',
      '2_cells (2).txt',
      '3_cells (3).txt',
      '4_stays.txt',
      '5_last.txt',
    ]);
    const jobs = await actions.listJobsForWorkflowRunAttempt({ ...AT, run_id: run.id, attempt_number: 1 });
    expect(jobs.data.jobs.every((job) => job.run_attempt === 1)).toBe(true);
    expect(jobs.data.total_count).toBe(6);
  });
});
