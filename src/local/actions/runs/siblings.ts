import { failFast } from './expand-job.ts';
import type { Unit } from './job-set.ts';
import { currentJobs, type JobRecord } from './records.ts';

/** A job, and the calls that it is part of, innermost first. */
function chainOf(unit: Unit): Unit[] {
  return unit.set.call === null ? [unit] : [unit, ...chainOf(unit.set.call)];
}

/** The jobs that a failure ends with it: other cells of the same matrix, and what is called by other cells, unless the file says no. */
export function stoppedBy(failed: JobRecord): JobRecord[] {
  const chain = chainOf(failed).filter((unit) => failFast(unit.body));
  const besides = (unit: Unit) =>
    chain.some((one) => one !== unit && one.set === unit.set && one.key === unit.key);
  return currentJobs(failed.run).filter(
    (job) => job !== failed && job.status !== 'completed' && chainOf(job).some(besides),
  );
}
