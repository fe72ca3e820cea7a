import type { Scope } from '../expressions/evaluate.ts';
import { type PriorStatus, statusFunctions } from '../expressions/status-functions.ts';
import type { Value } from '../expressions/values.ts';
import { githubContext } from './github-context.ts';
import { currentJobs, type JobRecord, type Result, type RunRecord, resultOf } from './records.ts';
import { asList } from './yaml-list.ts';

/** All jobs that a job needs, however indirectly. */
export function ancestorsOf(run: RunRecord, key: string, seen = new Set<string>()): Set<string> {
  for (const need of asList(run.file?.body.jobs[key]?.needs)) {
    if (seen.has(need)) continue;
    seen.add(need);
    ancestorsOf(run, need, seen);
  }
  return seen;
}

/** One result for a job key, over all of its matrix: a failure outweighs a cancellation, that outweighs the rest. */
function combined(jobs: readonly JobRecord[]): Result {
  const results = jobs.map(resultOf);
  return (
    (['failure', 'cancelled', 'success'] as const).find((result) => results.includes(result)) ?? 'skipped'
  );
}

function neededOutputs(jobs: readonly JobRecord[]): Record<string, string> {
  return Object.assign({}, ...jobs.map((job) => job.outputs)) as Record<string, string>;
}

/** The `needs` context of a job: result and outputs of each job it needs directly. */
export function needsContext(run: RunRecord, key: string): Record<string, Value> {
  const jobs = currentJobs(run);
  const entries = asList(run.file?.body.jobs[key]?.needs).map((need) => {
    const own = jobs.filter((job) => job.key === need);
    return [need, { result: combined(own), outputs: neededOutputs(own) }] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * What `success()` and its kin say in a job's `if`. GitHub looks at the whole chain of needs: a skipped or failed
 * ancestor fails `success()` even when the direct need succeeded.
 */
function priorOfJob(run: RunRecord, key: string): PriorStatus {
  const ancestors = ancestorsOf(run, key);
  const jobs = currentJobs(run).filter((job) => ancestors.has(job.key));
  return {
    allSucceeded: jobs.every((job) => resultOf(job) === 'success'),
    anyFailed: jobs.some((job) => resultOf(job) === 'failure'),
    cancelled: run.cancelRequested,
  };
}

/** What may be used outside of jobs: in `run-name`, in `concurrency` and as the base of everything else. */
export function runContexts(run: RunRecord, serverUrls: ServerUrls): Record<string, Value> {
  return {
    github: githubContext(run, serverUrls),
    inputs: run.cause.inputs,
    vars: Object.fromEntries(run.repo.variables),
  };
}

/** Addresses as jobs see them. */
export interface ServerUrls {
  readonly server: string;
  readonly api: string;
  readonly graphql: string;
}

/** Scope of the parts of a job that the service evaluates: `if`, `name`, `runs-on`, `strategy`, `concurrency`. */
export function jobScope(
  run: RunRecord,
  key: string,
  urls: ServerUrls,
  matrix: Value = {},
  strategy: Value = {},
): Scope {
  return {
    contexts: { ...runContexts(run, urls), needs: needsContext(run, key), matrix, strategy },
    functions: statusFunctions(priorOfJob(run, key)),
  };
}
