import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { FaultPlan, type FaultRecord } from '../../../../src/local/faults/fault-plan.ts';
import { type Play, playPlan } from '../../../../src/local/faults/play-plan.ts';
import { type ActionsWorld, jobOf, openWorld, processesOf } from '../actions/support/actions-world.ts';

const r = { owner: 'ada', repo: 'demo' };
const WORKFLOW = `on: workflow_dispatch
jobs:
  work:
    runs-on: self-hosted
    steps:
      - run: sleep 60
  quick:
    runs-on: self-hosted
    steps:
      - run: 'true'
`;

let world: ActionsWorld;
let play: Play | null = null;

beforeAll(async () => {
  world = await openWorld();
  await world.push({ '.github/workflows/go.yml': WORKFLOW });
  world.runner();
});
afterAll(() => world.close());
afterEach(() => play?.stop());

function misbehave(rules: readonly object[]): readonly FaultRecord[] {
  const { store, deliveries } = world.github;
  play = playPlan({ store, deliveries, runners: world.actions }, FaultPlan.parse({ seed: 1, rules }));
  return play.records;
}

const dispatch = () =>
  world.octokit.rest.actions.createWorkflowDispatch({ ...r, workflow_id: 'go.yml', ref: 'main' });
const listed = async () =>
  (await world.octokit.rest.actions.listWorkflowRuns({ ...r, workflow_id: 'go.yml' })).data;
const newest = () => [...world.actions.engine.runs.values()].at(-1)!;

it('dispatch-answer-lost starts the run and does not say so; run-not-listed keeps it out of lists for a while', async () => {
  const records = misbehave([
    { kind: 'dispatch-answer-lost', calls: [1] },
    { kind: 'run-not-listed', ms: 1_500 },
  ]);
  const before = world.actions.engine.runs.size;
  await expect(dispatch()).rejects.toThrow();
  expect(world.actions.engine.runs.size).toBe(before + 1);
  expect(await listed()).toMatchObject({ total_count: before, workflow_runs: [] });
  await new Promise((resolve) => setTimeout(resolve, 2_600));
  expect((await listed()).workflow_runs.map((run) => run.id)).toEqual([newest().id]);
  expect(records.map((one) => one.kind)).toContain('run-not-listed');
  await world.octokit.rest.actions.forceCancelWorkflowRun({ ...r, run_id: newest().id });
  await world.actions.completed(newest().id);
});

it('runner-lost ends the job for GitHub, while its process lives', async () => {
  const records = misbehave([{ kind: 'runner-lost', on: 'work' }]);
  await dispatch();
  const run = await world.actions.completed(newest().id);
  expect([jobOf(run, 'work').conclusion, jobOf(run, 'quick').conclusion]).toEqual(['failure', 'success']);
  expect(records).toMatchObject([{ kind: 'runner-lost', on: 'work', by: 'user:ada' }]);
  await expect.poll(() => processesOf(jobOf(run, 'work')).length, { timeout: 5_000 }).toBeGreaterThan(0);
});

it('job-stuck never ends, until somebody cancels it', async () => {
  misbehave([{ kind: 'job-stuck', on: 'quick' }]);
  await dispatch();
  const run = newest();
  await world.actions.waitFor(run.id, () => jobOf(run, 'quick').steps.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(jobOf(run, 'quick').status).toBe('in_progress');
  await world.octokit.rest.actions.cancelWorkflowRun({ ...r, run_id: run.id });
  await world.actions.completed(run.id);
  expect(jobOf(run, 'quick').conclusion).toBe('cancelled');
});
