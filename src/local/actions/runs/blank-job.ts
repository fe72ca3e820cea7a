import { nodeId } from '../../node-id.ts';
import type { Store } from '../../store.ts';
import type { JobPlace } from './expand-job.ts';
import { jobPermissions } from './job-permissions.ts';
import type { Conclusion, JobRecord } from './records.ts';

/** What a job record holds before anything is known about its fate. */
function fresh(store: Store) {
  const id = store.nextId('workflowJob');
  return {
    id,
    marker: store.randomHex(8),
    nodeId: nodeId('CR', id),
    createdAt: store.now(),
    status: 'queued',
    conclusion: null,
    startedAt: null,
    completedAt: null,
    runnerId: null,
    runnerName: null,
    steps: [],
    outputs: {},
    log: [],
    annotations: [],
    summary: '',
    checkRun: null,
  } satisfies Partial<JobRecord>;
}

/** A job of a file that nothing has been evaluated of. */
export function blankJob(store: Store, place: JobPlace, name: string): JobRecord {
  const { run, set, key, body } = place;
  return {
    ...fresh(store),
    run,
    attempt: run.attempt,
    set,
    key,
    body,
    matrix: {},
    index: 0,
    total: 1,
    name,
    labels: [],
    permissions: jobPermissions(run, set, body),
    continueOnError: false,
    maxParallel: Number.POSITIVE_INFINITY,
    concurrencyGroup: null,
    environment: null,
  };
}

/** The same job once more, for the run's current attempt. */
export function sameJobAgain(store: Store, job: JobRecord): JobRecord {
  return { ...job, ...fresh(store), attempt: job.run.attempt };
}

/** Ends a job that never ran, with the reason if there is one to tell. */
export function settled(job: JobRecord, conclusion: Conclusion, now: number, problem?: string): JobRecord {
  if (problem !== undefined) noteProblem(job, problem);
  return Object.assign(job, { status: 'completed', conclusion, startedAt: now, completedAt: now });
}

/** Puts a reason into a job's log and on its check run. */
export function noteProblem(job: JobRecord, problem: string): void {
  job.annotations.push(failureAnnotation(problem));
  job.log.push(`##[error]${problem}`);
}

/** An annotation that stands at no line of the change, as the service writes them. */
export function failureAnnotation(message: string): JobRecord['annotations'][number] {
  return { path: '.github', start_line: 1, end_line: 1, annotation_level: 'failure', message };
}

/** What GitHub says of a job whose runner it does not hear any more. */
export function lostAnnotation(job: JobRecord): JobRecord['annotations'][number] {
  return failureAnnotation(
    `The self-hosted runner: ${job.runnerName} lost communication with the server. Verify the machine is running and has a healthy network connection. Anything in your workflow that terminates the runner process, starves it for CPU/Memory, or blocks its network access can cause this error.`,
  );
}
