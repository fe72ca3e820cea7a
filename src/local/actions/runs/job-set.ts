import type { Value } from '../expressions/values.ts';
import type { Workflow } from '../workflow/parse-workflow.ts';
import type { JobBody } from '../workflow/schema.ts';
import { type Conclusion, currentJobs, type JobRecord, type RunRecord } from './records.ts';

/** The jobs of one workflow file within a run: the file of the run itself, or one that a job calls. They see only each other. */
export interface JobSet {
  readonly file: Workflow;
  readonly inputs: Readonly<Record<string, Value>>;
  /** The call that brought the file in; null for the run's own. */
  readonly call: CallRecord | null;
}

/** A job that stands for another workflow file (`uses`). To the job's neighbours it is a job like any other. */
export interface CallRecord {
  readonly attempt: number;
  readonly set: JobSet;
  readonly key: string;
  readonly body: JobBody;
  readonly matrix: Value;
  readonly name: string;
  readonly continueOnError: false;
  /** The called file's jobs. Set right after the record is made. */
  readonly inner: JobSet;
  status: 'in_progress' | 'completed';
  conclusion: Conclusion | null;
  outputs: Readonly<Record<string, string>>;
}

/** What a key under `jobs:` became: a job, or a call of another file. */
export type Unit = JobRecord | CallRecord;

export const isCall = (unit: Unit): unit is CallRecord => 'inner' in unit;

/** The calls of a run's current attempt. */
export function currentCalls(run: RunRecord): CallRecord[] {
  return run.calls.filter((call) => call.attempt === run.attempt);
}

/** Jobs and calls of one file in a run's current attempt. */
export function unitsOf(run: RunRecord, set: JobSet): Unit[] {
  return [...currentJobs(run), ...currentCalls(run)].filter((unit) => unit.set === set);
}

/** How many calls lead to a set of jobs. */
export function depthOf(set: JobSet): number {
  return set.call === null ? 0 : 1 + depthOf(set.call.set);
}

/** `caller / ` before the names of called jobs, as GitHub writes them. */
export function namePrefix(set: JobSet): string {
  return set.call === null ? '' : `${namePrefix(set.call.set)}${set.call.name} / `;
}
