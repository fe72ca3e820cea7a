import type { Actor } from '../../principal.ts';
import type { Annotation, CheckRun, CheckSuite } from '../../records/check.ts';
import type { Permissions, User } from '../../records/identity.ts';
import type { Repo } from '../../records/repository.ts';
import type { Value } from '../expressions/values.ts';
import type { Workflow, WorkflowReading } from '../workflow/parse-workflow.ts';
import type { JobBody } from '../workflow/schema.ts';
import type { CallRecord, JobSet } from './job-set.ts';

export type Conclusion = 'success' | 'failure' | 'cancelled' | 'skipped' | 'timed_out' | 'startup_failure';
type RunStatus = 'queued' | 'pending' | 'waiting' | 'in_progress' | 'completed';
type JobStatus = 'queued' | 'waiting' | 'in_progress' | 'completed';
/** Outcome of a job or step as expressions see it. */
export type Result = 'success' | 'failure' | 'cancelled' | 'skipped';

/** A workflow file of a repository, as the API lists it. One record per path, for ever. */
export interface WorkflowRecord {
  readonly id: number;
  readonly nodeId: string;
  readonly repo: Repo;
  readonly path: string;
  name: string;
  readonly createdAt: number;
  updatedAt: number;
  runs: number;
}

export interface StepRecord {
  name: string;
  readonly number: number;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: Result | null;
  startedAt: number | null;
  completedAt: number | null;
}

export interface JobRecord {
  readonly id: number;
  /** Found in the environment of each of its processes. Ids are not enough: two local GitHubs on one machine give the same ones. */
  readonly marker: string;
  readonly nodeId: string;
  readonly run: RunRecord;
  readonly attempt: number;
  /** The file whose job it is. */
  readonly set: JobSet;
  /** Key under `jobs:`. */
  readonly key: string;
  readonly body: JobBody;
  readonly matrix: Value;
  /** Position in and size of the matrix. */
  readonly index: number;
  readonly total: number;
  readonly name: string;
  readonly labels: readonly string[];
  readonly permissions: Permissions;
  readonly continueOnError: boolean;
  readonly maxParallel: number;
  readonly createdAt: number;
  status: JobStatus;
  conclusion: Conclusion | null;
  startedAt: number | null;
  completedAt: number | null;
  runnerId: number | null;
  runnerName: string | null;
  readonly steps: StepRecord[];
  outputs: Readonly<Record<string, string>>;
  /** Lines with their time stamp, secrets already masked. */
  readonly log: string[];
  readonly annotations: Annotation[];
  summary: string;
  /** Concurrency group of the job itself, when it names one. */
  concurrencyGroup: string | null;
  /** Name of the environment the job runs in. */
  readonly environment: string | null;
  checkRun: CheckRun | null;
}

/** An earlier attempt of a run, as it ended. */
export interface PastAttempt {
  readonly attempt: number;
  readonly conclusion: Conclusion | null;
  readonly triggeringActor: User;
  readonly startedAt: number;
  readonly updatedAt: number;
}

/** A commit as runs show it. */
export interface HeadCommit {
  readonly id: string;
  readonly treeId: string;
  readonly message: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly committer: { readonly name: string; readonly email: string };
}

/** What a run stands on: the event and the commit whose workflow file is executed. */
export interface RunCause {
  /** GitHub's name of the event. */
  readonly event: string;
  /** Webhook payload, `github.event`. */
  readonly payload: { readonly [key: string]: Value };
  /** Full name of the ref. */
  readonly ref: string;
  readonly headBranch: string | null;
  /** Commit the run is listed under. */
  readonly headSha: string;
  readonly headCommit: HeadCommit;
  /** `github.sha`: the same, but the test merge for pull requests. */
  readonly sha: string;
  readonly baseRef: string | null;
  readonly headRef: string | null;
  readonly pullNumber: number | null;
  readonly inputs: Readonly<Record<string, Value>>;
  /** The change comes from another repository: the token only reads, and there are no secrets. */
  readonly fromFork?: boolean;
  /** How many `workflow_run` events led here; GitHub follows three. */
  readonly chain?: number;
}

export interface RunRecord {
  readonly id: number;
  readonly nodeId: string;
  readonly repo: Repo;
  readonly workflow: WorkflowRecord;
  /** Null when the file could not be executed; `problems` says why. */
  readonly file: Workflow | null;
  /** The jobs of the file, null with it. */
  readonly own: JobSet | null;
  /** Workflows that its jobs may call, by their path; those of the same commit. */
  readonly called: ReadonlyMap<string, WorkflowReading>;
  /** True when GitHub would run the file and only the local runner cannot. */
  readonly unsupported: boolean;
  problems: readonly string[];
  readonly cause: RunCause;
  readonly actor: Actor;
  triggeringActor: User;
  readonly runNumber: number;
  attempt: number;
  status: RunStatus;
  conclusion: Conclusion | null;
  displayTitle: string;
  readonly createdAt: number;
  updatedAt: number;
  startedAt: number;
  cancelRequested: boolean;
  readonly checkSuite: CheckSuite | null;
  concurrencyGroup: string | null;
  /** Jobs of all attempts; those of the current one have its number. */
  readonly jobs: JobRecord[];
  /** Calls of other workflow files, of all attempts. They are no jobs to the API. */
  readonly calls: CallRecord[];
  readonly past: PastAttempt[];
}

/** The jobs of a run's current attempt. */
export function currentJobs(run: RunRecord): JobRecord[] {
  return run.jobs.filter((job) => job.attempt === run.attempt);
}

/** A job's, or a call's, conclusion as its dependants see it. */
export function resultOf(job: Pick<JobRecord, 'conclusion' | 'continueOnError'>): Result {
  if (job.continueOnError && job.conclusion === 'failure') return 'success';
  if (job.conclusion === 'success' || job.conclusion === 'skipped' || job.conclusion === 'cancelled') {
    return job.conclusion;
  }
  return 'failure';
}
