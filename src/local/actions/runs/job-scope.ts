import { evaluateCondition } from '../expressions/condition.ts';
import type { Scope } from '../expressions/evaluate.ts';
import { type PriorStatus, statusFunctions } from '../expressions/status-functions.ts';
import type { Value } from '../expressions/values.ts';
import { githubContext } from './github-context.ts';
import { type JobSet, type Unit, unitsOf } from './job-set.ts';
import { type JobRecord, type Result, type RunRecord, resultOf } from './records.ts';
import { asList } from './yaml-list.ts';

/** All keys that a key of the same file needs, however indirectly. */
export function ancestorsOf(set: JobSet, key: string, seen = new Set<string>()): Set<string> {
  for (const need of asList(set.file.body.jobs[key]?.needs)) {
    if (seen.has(need)) continue;
    seen.add(need);
    ancestorsOf(set, need, seen);
  }
  return seen;
}

/** One result for a key, over all of its matrix: a failure outweighs a cancellation, that outweighs the rest. */
export function combinedResult(units: readonly Unit[]): Result {
  const results = units.map(resultOf);
  return (
    (['failure', 'cancelled', 'success'] as const).find((result) => results.includes(result)) ?? 'skipped'
  );
}

/** Result and outputs of one key of a file, as other jobs see them. */
export function unitContext(units: readonly Unit[], key: string): { readonly [name: string]: Value } {
  const own = units.filter((unit) => unit.key === key);
  const outputs = Object.assign({}, ...own.map((unit) => unit.outputs)) as Record<string, string>;
  return { result: combinedResult(own), outputs };
}

/** The `needs` context of a job: result and outputs of each job it needs directly. */
export function needsContext(run: RunRecord, set: JobSet, key: string): Record<string, Value> {
  const units = unitsOf(run, set);
  const needs = asList(set.file.body.jobs[key]?.needs);
  return Object.fromEntries(needs.map((need) => [need, unitContext(units, need)]));
}

/**
 * What `success()` and its kin say in a job's `if`. GitHub looks at the whole chain of needs: a skipped or failed
 * ancestor fails `success()` even when the direct need succeeded.
 */
function priorOfJob(run: RunRecord, set: JobSet, key: string): PriorStatus {
  const ancestors = ancestorsOf(set, key);
  const jobs = unitsOf(run, set).filter((unit) => ancestors.has(unit.key));
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
  place: { readonly set: JobSet; readonly key: string },
  urls: ServerUrls,
  matrix: Value = {},
  strategy: Value = {},
): Scope {
  const { set, key } = place;
  const inputs = set.inputs;
  return {
    contexts: { ...runContexts(run, urls), inputs, needs: needsContext(run, set, key), matrix, strategy },
    functions: statusFunctions(priorOfJob(run, set, key)),
  };
}

/** Whether a job's `if` holds as things stand now, after a cancellation for instance. */
export function wantedNow(job: JobRecord, urls: ServerUrls): boolean {
  return evaluateCondition(job.body.if, jobScope(job.run, job, urls, job.matrix));
}
