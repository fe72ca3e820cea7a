import { ancestorsOf } from './job-scope.ts';
import { currentJobs, type JobRecord, type RunRecord } from './records.ts';

/** What "re-run failed jobs" leaves as it is: jobs that succeeded and depend on none that did not. */
export function keptJobs(run: RunRecord): JobRecord[] {
  const jobs = currentJobs(run);
  const succeeded = (key: string) => jobs.every((job) => job.key !== key || job.conclusion === 'success');
  return jobs.filter((job) => [job.key, ...ancestorsOf(run, job.key)].every(succeeded));
}
