import type { Unit } from './job-set.ts';
import type { Conclusion, RunRecord } from './records.ts';

/** The conclusion of a run all of whose jobs, and calls of other files, are completed. */
export function concludeRun(run: RunRecord, jobs: readonly Unit[]): Conclusion {
  const conclusions = jobs.map((job) =>
    job.continueOnError && job.conclusion === 'failure' ? 'success' : job.conclusion,
  );
  const has = (conclusion: Conclusion) => conclusions.includes(conclusion);
  if (run.cancelRequested && has('cancelled')) return 'cancelled';
  if (has('failure')) return 'failure';
  if (has('cancelled')) return 'cancelled';
  return conclusions.length > 0 && conclusions.every((conclusion) => conclusion === 'skipped')
    ? 'skipped'
    : 'success';
}
