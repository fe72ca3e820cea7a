import type { User } from '../../records/identity.ts';
import type { Store } from '../../store.ts';
import { sameJobAgain } from './blank-job.ts';
import { keptForFailed, keptForOne } from './kept-jobs.ts';
import type { JobRecord, RunRecord } from './records.ts';

/** What is run again: everything, what did not succeed and what depends on it, or one job and what depends on it. */
type Again = 'all' | 'failed' | JobRecord;

function keptFor(run: RunRecord, again: Again) {
  if (again === 'all') return { jobs: [], calls: [], again: [] };
  return again === 'failed' ? keptForFailed(run) : keptForOne(run, again);
}

/** Turns a completed run into its next attempt. Answers the jobs that are to be queued as they were. */
export function beginAttempt(store: Store, run: RunRecord, again: Again, user: User): JobRecord[] {
  const kept = keptFor(run, again);
  const { attempt, conclusion, triggeringActor, startedAt, updatedAt } = run;
  run.past.push({ attempt, conclusion, triggeringActor, startedAt, updatedAt });
  run.attempt += 1;
  run.calls.push(...kept.calls.map((call) => ({ ...call, attempt: run.attempt })));
  for (const job of kept.jobs)
    run.jobs.push({
      ...job,
      id: store.nextId('workflowJob'),
      marker: store.randomHex(8),
      attempt: run.attempt,
    });
  run.triggeringActor = user;
  run.startedAt = store.now();
  Object.assign(run, { status: 'queued', conclusion: null, cancelRequested: false });
  return kept.again.map((job) => sameJobAgain(store, job));
}
