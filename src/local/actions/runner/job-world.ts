import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { JobCaches } from '../caches/job-caches.ts';
import type { ExpressionFunction, Scope } from '../expressions/evaluate.ts';
import { hashFilesFunction } from '../expressions/hash-files.ts';
import { statusFunctions } from '../expressions/status-functions.ts';
import type { Value } from '../expressions/values.ts';
import type { JobRecord, Result } from '../runs/records.ts';
import type { RunnerConfig } from './config.ts';
import type { JobLog } from './job-log.ts';
import type { JobNamespace } from './job-namespace.ts';
import type { JobPaths } from './job-paths.ts';
import type { Masks } from './masks.ts';
import type { StopControl } from './stop-control.ts';

/** What the service hands to a runner together with a job. */
export interface JobServices {
  readonly now: () => number;
  readonly token: string;
  /** Variables that only actions get: address and token of the results service. */
  readonly runtime: Readonly<Record<string, string>>;
  readonly artifacts: ArtifactStore;
  readonly caches: JobCaches;
  /** Contexts that the service fills: github, needs, inputs, vars, secrets, matrix, strategy. */
  readonly contexts: Readonly<Record<string, Value>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly changed: () => void;
}

/** A step to be run when the job's own steps are over. */
interface PostStep {
  readonly name: string;
  readonly condition: Value | undefined;
  readonly frame: Frame;
  readonly run: () => Promise<StepEnd>;
}

/** How a step ended, before `continue-on-error`. */
export type StepEnd = {
  readonly outcome: Exclude<Result, 'skipped'>;
  readonly outputs: Readonly<Record<string, string>>;
};

/** The steps of a job, or of a composite action inside it: they see only each other. */
export interface Frame {
  readonly steps: Map<
    string,
    { outputs: Readonly<Record<string, string>>; outcome: Result; conclusion: Result }
  >;
  /** Inputs of the composite action; null in the job itself. */
  readonly inputs: Readonly<Record<string, string>> | null;
  readonly actionPath: string | null;
  readonly action: { readonly repository: string; readonly ref: string } | null;
  /** `env` of the composite step, which its inner steps see. */
  readonly env: Readonly<Record<string, string>>;
  failed: boolean;
}

/** Everything a job's steps share while they run. */
export interface JobWorld {
  readonly job: JobRecord;
  readonly config: RunnerConfig;
  readonly services: JobServices;
  readonly paths: JobPaths;
  readonly namespace: JobNamespace;
  readonly log: JobLog;
  readonly masks: Masks;
  readonly control: StopControl;
  readonly machineEnv: Readonly<Record<string, string>>;
  readonly defaults: Readonly<Record<string, string>>;
  /** `env` of workflow and job, and what steps wrote to `GITHUB_ENV`. */
  readonly env: Record<string, string>;
  /** What steps wrote to `GITHUB_PATH`, last first. */
  readonly path: string[];
  readonly post: PostStep[];
  readonly main: Frame;
  commandFiles: number;
}

export function newFrame(part: Partial<Frame> = {}): Frame {
  return { steps: new Map(), inputs: null, actionPath: null, action: null, env: {}, failed: false, ...part };
}

function stepsContext(frame: Frame): Record<string, Value> {
  return Object.fromEntries(
    [...frame.steps].map(([id, { outputs, outcome, conclusion }]) => [id, { outputs, outcome, conclusion }]),
  );
}

function jobStatus(world: JobWorld): string {
  if (world.control.cancelled) return 'cancelled';
  return world.main.failed ? 'failure' : 'success';
}

function functionsOf(world: JobWorld, frame: Frame): ExpressionFunction[] {
  const { cancelled } = world.control;
  const prior = { allSucceeded: !frame.failed, anyFailed: frame.failed, cancelled };
  return [...statusFunctions(prior), hashFilesFunction(world.paths.workspace)];
}

/** The scope of expressions in a step. */
export function stepScope(
  world: JobWorld,
  frame: Frame,
  stepEnv: Readonly<Record<string, string>> = {},
): Scope {
  const { contexts, token } = world.services;
  const github = contexts.github as Record<string, Value>;
  const { workspace, temp, toolCache, eventFile } = world.paths;
  return {
    contexts: {
      ...contexts,
      github: {
        ...github,
        token,
        workspace,
        event_path: eventFile,
        job: world.job.key,
        action_path: frame.actionPath ?? '',
        action_repository: frame.action?.repository ?? '',
        action_ref: frame.action?.ref ?? '',
        action_status: frame.failed ? 'failure' : 'success',
      },
      ...(frame.inputs === null ? {} : { inputs: frame.inputs }),
      env: { ...world.env, ...frame.env, ...stepEnv },
      steps: stepsContext(frame),
      job: { status: jobStatus(world) },
      runner: {
        name: world.config.name,
        os: 'Linux',
        arch: world.defaults.RUNNER_ARCH ?? 'X64',
        temp,
        tool_cache: toolCache,
        debug: '',
        environment: 'self-hosted',
        workspace: `${world.paths.root}/${world.job.run.repo.name}`,
      },
    },
    functions: functionsOf(world, frame),
  };
}
