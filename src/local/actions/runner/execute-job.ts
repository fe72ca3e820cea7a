import { rm, writeFile } from 'node:fs/promises';
import { evaluateCondition } from '../expressions/condition.ts';
import { renderTexts } from '../expressions/template.ts';
import type { Value } from '../expressions/values.ts';
import type { Conclusion, JobRecord, Result, StepRecord } from '../runs/records.ts';
import { defaultVariables, jobMarker, machineEnvironment } from './base-environment.ts';
import type { RunnerConfig } from './config.ts';
import { executeStep, stepLabel } from './execute-step.ts';
import { JobLog } from './job-log.ts';
import { openNamespace } from './job-namespace.ts';
import { makeJobPaths } from './job-paths.ts';
import { type JobServices, type JobWorld, newFrame, stepScope } from './job-world.ts';
import { Masks } from './masks.ts';
import { sweepMarked } from './process-table.ts';
import { type ResolvedAction, resolveAction } from './resolve-action.ts';
import { type NodeCall, runPrePhase } from './run-action.ts';
import type { StopControl } from './stop-control.ts';

/** How a job ended, and what it hands to those that need it. */
export interface JobEnd {
  readonly conclusion: Conclusion;
  readonly outputs: Readonly<Record<string, string>>;
}

const DEFAULT_MINUTES = 360;

async function makeWorld(
  job: JobRecord,
  config: RunnerConfig,
  services: JobServices,
  control: StopControl,
): Promise<JobWorld> {
  const paths = await makeJobPaths(config.workDir, job);
  await writeFile(paths.eventFile, JSON.stringify(job.run.cause.payload));
  const masks = new Masks();
  for (const secret of [services.token, ...Object.values(services.secrets)]) masks.add(secret);
  masks.add(services.runtime.ACTIONS_RUNTIME_TOKEN ?? '');
  const machineEnv = machineEnvironment(config, paths);
  const github = services.contexts.github as Record<string, Value>;
  return {
    job,
    config,
    services,
    paths,
    namespace: await openNamespace(config.namespace, job.marker, machineEnv),
    log: new JobLog(job, masks, services.now, services.changed),
    masks,
    control,
    machineEnv,
    defaults: defaultVariables(job, config, paths, github),
    env: {},
    path: [],
    post: [],
    main: newFrame(),
    commandFiles: 0,
  };
}

/** Runs something as one of the steps that the API lists. */
async function asStep(
  world: JobWorld,
  name: string,
  run: () => Promise<Result>,
  record?: StepRecord,
): Promise<Result> {
  const step: StepRecord = record ?? addStep(world, name);
  step.status = 'in_progress';
  step.startedAt = world.services.now();
  world.services.changed();
  const conclusion = await run();
  Object.assign(step, { status: 'completed', conclusion, completedAt: world.services.now() });
  world.services.changed();
  return conclusion;
}

function addStep(world: JobWorld, name: string): StepRecord {
  const number = world.job.steps.length + 1;
  const step: StepRecord = {
    name,
    number,
    status: 'queued',
    conclusion: null,
    startedAt: null,
    completedAt: null,
  };
  world.job.steps.push(step);
  return step;
}

/** Everything before the first step: environment, actions found. All unknown actions are named at once. */
async function setUp(world: JobWorld, resolved: (ResolvedAction | null)[]): Promise<Result> {
  const { log, job } = world;
  log.line(`Runner name: '${world.config.name}'`);
  log.group(
    'GITHUB_TOKEN Permissions',
    Object.entries(job.permissions).map(([area, level]) => `${area}: ${level}`),
  );
  log.line(`Processes: ${world.namespace.kind}`);
  const scope = () => stepScope(world, world.main);
  try {
    Object.assign(world.env, renderTexts(job.set.file.body.env ?? {}, scope()));
    Object.assign(world.env, renderTexts(job.body.env ?? {}, scope()));
  } catch (error) {
    log.error((error as Error).message);
    return 'failure';
  }
  for (const step of job.body.steps) {
    resolved.push(step.uses === undefined ? null : await resolveAction(step.uses, world.config.actionMap));
  }
  const refused = resolved.filter((one) => one?.kind === 'refused');
  for (const one of refused) log.error(one.problem);
  return refused.length > 0 ? 'failure' : 'success';
}

async function runSteps(world: JobWorld): Promise<void> {
  const resolved: (ResolvedAction | null)[] = [];
  if ((await asStep(world, 'Set up job', () => setUp(world, resolved))) !== 'success') {
    world.main.failed = true;
    return;
  }
  const prepared = new Map<number, NodeCall>();
  for (const [index, step] of world.job.body.steps.entries()) {
    const action = resolved[index];
    if (action?.kind !== 'directory' || !('pre' in action.manifest.runs) || world.control.cancelled) continue;
    const name = `Pre ${stepLabel(step)}`;
    await asStep(world, name, async () => {
      const pre = await runPrePhase(world, step, action, name);
      if (pre !== null) prepared.set(index, pre.node);
      if (pre !== null && pre.end.outcome !== 'success') world.main.failed = true;
      return pre?.end.outcome ?? 'success';
    });
  }
  const records = world.job.body.steps.map((step) => addStep(world, stepLabel(step)));
  for (const [index, step] of world.job.body.steps.entries()) {
    const run = () =>
      executeStep(world, world.main, step, {
        resolved: resolved[index] ?? null,
        prepared: prepared.get(index) ?? null,
      });
    await asStep(world, '', run, records[index]);
  }
}

async function runPosts(world: JobWorld): Promise<void> {
  for (const post of world.post.reverse()) {
    await asStep(world, post.name, async () => {
      if (world.control.forced) return 'cancelled';
      world.control.beginStep();
      if (!evaluateCondition(post.condition, stepScope(world, world.main))) return 'skipped';
      const end = await post.run();
      if (end.outcome !== 'success') world.main.failed = true;
      return end.outcome;
    });
  }
}

function outputsOf(world: JobWorld): Record<string, string> {
  try {
    const outputs = renderTexts(world.job.body.outputs ?? {}, stepScope(world, world.main));
    // GitHub does not hand on an output that holds a secret.
    return Object.fromEntries(
      Object.entries(outputs).filter(([, value]) => world.masks.apply(value) === value),
    );
  } catch (error) {
    world.log.error((error as Error).message);
    world.main.failed = true;
    return {};
  }
}

/** Ends everything the job started: its namespace, then whatever carries its marker. */
async function cleanUp(world: JobWorld): Promise<Result> {
  await world.namespace.close();
  // A namespace took all of it along; without one there may be processes that no single look sees.
  const hit = await sweepMarked(jobMarker(world.job), world.namespace.kind === 'none' ? 8 : 1);
  if (hit > 0) world.log.line(`Cleaning up orphan processes: ${hit} terminated`);
  return 'success';
}

/** Executes a job from its set-up to the clean-up after it. Resolves when none of its processes is left. */
export async function executeJob(
  job: JobRecord,
  config: RunnerConfig,
  services: JobServices,
  control: StopControl,
): Promise<JobEnd> {
  const world = await makeWorld(job, config, services, control);
  const minutes = Number(renderMinutes(world));
  const overdue = setTimeout(
    () => {
      world.log.error(
        `The job running on runner ${config.name} has exceeded the maximum execution time of ${minutes} minutes.`,
      );
      control.request(false);
    },
    Math.min(minutes * 60_000, 2 ** 31 - 1),
  );
  try {
    await runSteps(world);
    await runPosts(world);
    const outputs = outputsOf(world);
    clearTimeout(overdue);
    await asStep(world, 'Complete job', () => cleanUp(world));
    const conclusion = control.cancelled ? 'cancelled' : world.main.failed ? 'failure' : 'success';
    return { conclusion, outputs };
  } finally {
    clearTimeout(overdue);
    await world.namespace.close();
    if (!config.keepWork) await rm(world.paths.root, { recursive: true, force: true });
  }
}

function renderMinutes(world: JobWorld): string {
  const given = world.job.body['timeout-minutes'];
  if (given == null) return String(DEFAULT_MINUTES);
  return (
    Object.values(renderTexts({ minutes: given }, stepScope(world, world.main)))[0] ?? String(DEFAULT_MINUTES)
  );
}
