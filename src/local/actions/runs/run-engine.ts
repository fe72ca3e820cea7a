import { Emitter } from '../../emitter.ts';
import type { Actor } from '../../principal.ts';
import type { Repo } from '../../records/repository.ts';
import type { Store } from '../../store.ts';
import { evaluateCondition } from '../expressions/condition.ts';
import { renderText, renderValue } from '../expressions/template.ts';
import { isTruthy } from '../expressions/values.ts';
import { concludeRun } from './conclude.ts';
import { ConcurrencyGroups } from './concurrency-groups.ts';
import type { EngineEvents } from './engine-events.ts';
import { expandJob, failFast, failureAnnotation } from './expand-job.ts';
import { groupOptions } from './group-options.ts';
import { jobScope, runContexts, type ServerUrls } from './job-scope.ts';
import type { JobTaker } from './job-taker.ts';
import { keptJobs } from './kept-jobs.ts';
import { type NewRun, newRun, workflowName } from './new-run.ts';
import { type Conclusion, currentJobs, type JobRecord, type RunRecord } from './records.ts';
import { WorkflowList } from './workflow-list.ts';
import { asList } from './yaml-list.ts';

/** The service side of Actions: runs and their jobs, from the event to the conclusion. Knows no process and no HTTP. */
export class RunEngine {
  readonly events = new Emitter<EngineEvents>();
  readonly runs = new Map<number, RunRecord>();
  readonly workflows: WorkflowList;
  readonly takers = new Set<JobTaker>();
  readonly #store: Store;
  readonly #urls: () => ServerUrls;
  readonly #groups = new ConcurrencyGroups();
  readonly #holding = new Set<JobRecord>();
  readonly #takenBy = new Map<JobRecord, JobTaker>();

  constructor(store: Store, urls: () => ServerUrls) {
    this.#store = store;
    this.workflows = new WorkflowList(store);
    this.#urls = urls;
  }

  job(id: number): JobRecord | undefined {
    for (const run of this.runs.values()) {
      const job = run.jobs.find((one) => one.id === id);
      if (job !== undefined) return job;
    }
    return undefined;
  }

  /** Creates a run and sets it going. A file that cannot be executed gives a completed `startup_failure`. */
  start(options: NewRun): RunRecord {
    const { reading, path, repo } = options;
    const workflow = this.workflows.of(repo, path, workflowName(path, reading));
    const run = newRun(this.#store, workflow, options, this.#urls());
    this.runs.set(run.id, run);
    this.#say(run, 'requested');
    if (run.file === null) this.#finish(run, 'startup_failure');
    else this.#enterGroup(run);
    return run;
  }

  /** A runner has begun a job. */
  jobStarted(job: JobRecord): void {
    if (job.status === 'completed') return;
    job.status = 'in_progress';
    job.startedAt = this.#store.now();
    this.#touch(job.run);
    if (job.run.status !== 'in_progress') {
      job.run.status = 'in_progress';
      this.#say(job.run, 'in_progress');
    }
    this.#sayJob(job, 'in_progress');
  }

  /** Something inside a job changed: a step, a line of log, an artifact. */
  noteChange(run: RunRecord): void {
    this.events.emit('changed', { run });
  }

  /** A job is over. A job that was given up before changes nothing any more. */
  jobFinished(job: JobRecord, conclusion: Conclusion): void {
    this.#takenBy.delete(job);
    if (job.status !== 'completed') {
      this.#settle(job, conclusion);
      if (conclusion === 'failure' && !job.continueOnError && failFast(job.body)) this.#stopSiblings(job);
      this.#advance(job.run);
    }
    this.#offer();
  }

  /** Cancels a run: waiting jobs end, running ones are asked to stop (`force`: at once). False when it was over already. */
  cancel(run: RunRecord, force: boolean): boolean {
    if (run.status === 'completed') return false;
    run.cancelRequested = true;
    this.#touch(run);
    if (run.status === 'pending') {
      this.#finish(run, 'cancelled');
      return true;
    }
    for (const job of currentJobs(run)) {
      if (job.status === 'in_progress' || this.#takenBy.has(job)) this.#takenBy.get(job)?.stop(job, force);
      else if (job.status !== 'completed' && (force || !this.#wantedAfterCancel(job)))
        this.#settle(job, 'cancelled');
    }
    this.#advance(run);
    return true;
  }

  /** A new attempt of a completed run: of all its jobs, or of those that did not succeed and what depends on them. */
  rerun(run: RunRecord, options: { readonly onlyFailed: boolean; readonly actor: Actor }): boolean {
    if (run.status !== 'completed' || run.file === null) return false;
    const kept = options.onlyFailed ? keptJobs(run) : [];
    run.attempt += 1;
    for (const job of kept)
      run.jobs.push({
        ...job,
        id: this.#store.nextId('workflowJob'),
        marker: this.#store.randomHex(8),
        attempt: run.attempt,
      });
    run.triggeringActor = options.actor.user;
    run.startedAt = this.#store.now();
    Object.assign(run, { status: 'queued', conclusion: null, cancelRequested: false });
    this.#touch(run);
    this.#say(run, 'requested');
    this.#enterGroup(run);
    return true;
  }

  /** To GitHub the runner of a run's jobs is gone: they fail, while their processes live on. */
  lose(run: RunRecord): JobRecord[] {
    const jobs = currentJobs(run).filter((job) => job.status === 'in_progress');
    for (const job of jobs) {
      const problem = `The self-hosted runner: ${job.runnerName} lost communication with the server. Verify the machine is running and has a healthy network connection.`;
      job.annotations.push(failureAnnotation(problem));
      this.#takenBy.get(job)?.lose(job);
      this.#takenBy.delete(job);
      this.#settle(job, 'failure');
    }
    this.#advance(run);
    this.#offer();
    return jobs;
  }

  /** Looks again for runners for the jobs that wait; to be called when a runner comes. */
  offer(): void {
    this.#offer();
  }

  #enterGroup(run: RunRecord): void {
    const body = run.file?.body.concurrency;
    if (body === undefined) return this.#advance(run);
    const scope = { contexts: runContexts(run, this.#urls()), functions: [] };
    run.concurrencyGroup = this.#groupName(run.repo, renderText(body.group, scope));
    run.status = 'pending';
    this.#groups.enter(
      run.concurrencyGroup,
      {
        key: `run ${run.id}`,
        start: () => {
          run.status = 'queued';
          this.#advance(run);
        },
        cancel: () => void this.cancel(run, false),
      },
      groupOptions(body, (value) => isTruthy(renderValue(value, scope))),
    );
    this.#touch(run);
  }

  #groupName(repo: Repo, name: string): string {
    return `${repo.id} ${name}`;
  }

  /** Expands jobs whose needs are settled, until nothing changes; then looks for runners, or concludes the run. */
  #advance(run: RunRecord): void {
    if (run.status === 'completed' || run.file === null) return;
    const bodies = Object.entries(run.file.body.jobs);
    for (let more = true; more; ) {
      more = false;
      for (const [key, body] of bodies) {
        const jobs = currentJobs(run);
        if (jobs.some((job) => job.key === key) || !asList(body.needs).every((need) => isSettled(jobs, need)))
          continue;
        for (const job of expandJob(this.#store, run, key, body, this.#urls())) this.#addJob(job);
        more = true;
      }
    }
    const jobs = currentJobs(run);
    if (jobs.every((job) => job.status === 'completed') && bodies.every(([key]) => isSettled(jobs, key))) {
      this.#finish(run, concludeRun(run, jobs));
    } else this.#offer();
  }

  #addJob(job: JobRecord): void {
    job.run.jobs.push(job);
    this.#touch(job.run);
    if (job.status === 'completed') return this.#sayJob(job, 'completed');
    if (job.concurrencyGroup === null) return this.#sayJob(job, 'queued');
    job.status = 'waiting';
    this.#sayJob(job, 'waiting');
    const body = job.body.concurrency!;
    const scope = jobScope(job.run, job.key, this.#urls(), job.matrix);
    this.#holding.add(job);
    this.#groups.enter(
      this.#groupName(job.run.repo, job.concurrencyGroup),
      {
        key: `job ${job.id}`,
        start: () => {
          job.status = 'queued';
          this.#sayJob(job, 'queued');
          this.#offer();
        },
        cancel: () => this.#cancelJob(job),
      },
      groupOptions(body, (value) => isTruthy(renderValue(value, scope))),
    );
  }

  #cancelJob(job: JobRecord): void {
    const taker = this.#takenBy.get(job);
    if (taker !== undefined) return taker.stop(job, false);
    if (job.status === 'completed') return;
    this.#settle(job, 'cancelled');
    this.#advance(job.run);
  }

  #wantedAfterCancel(job: JobRecord): boolean {
    return evaluateCondition(job.body.if, jobScope(job.run, job.key, this.#urls(), job.matrix));
  }

  #stopSiblings(failed: JobRecord): void {
    for (const job of currentJobs(failed.run)) {
      if (job === failed || job.key !== failed.key || job.status === 'completed') continue;
      const taker = this.#takenBy.get(job);
      if (taker !== undefined) taker.stop(job, false);
      else this.#settle(job, 'cancelled');
    }
  }

  #settle(job: JobRecord, conclusion: Conclusion): void {
    const now = this.#store.now();
    Object.assign(job, {
      status: 'completed',
      conclusion,
      startedAt: job.startedAt ?? now,
      completedAt: now,
    });
    this.#touch(job.run);
    this.#sayJob(job, 'completed');
    if (!this.#holding.delete(job)) return;
    this.#groups.leave(this.#groupName(job.run.repo, job.concurrencyGroup!), `job ${job.id}`);
  }

  #finish(run: RunRecord, conclusion: Conclusion): void {
    Object.assign(run, { status: 'completed', conclusion });
    this.#touch(run);
    this.#say(run, 'completed');
    if (run.concurrencyGroup !== null) this.#groups.leave(run.concurrencyGroup, `run ${run.id}`);
  }

  #offer(): void {
    for (const run of this.runs.values()) {
      if (run.status === 'completed' || run.status === 'pending') continue;
      for (const job of currentJobs(run)) this.#offerJob(job);
    }
  }

  #offerJob(job: JobRecord): void {
    if (job.status !== 'queued' || this.#takenBy.has(job)) return;
    const siblings = [...this.#takenBy.keys()].filter((one) => one.run === job.run && one.key === job.key);
    if (siblings.length >= job.maxParallel) return;
    const taker = [...this.takers].find((one) => one.accepts(job));
    if (taker === undefined) return;
    this.#takenBy.set(job, taker);
    job.runnerId = taker.id;
    job.runnerName = taker.name;
    taker.take(job);
  }

  #touch(run: RunRecord): void {
    run.updatedAt = this.#store.now();
  }

  #say(run: RunRecord, action: EngineEvents['run']['action']): void {
    this.events.emit('run', { run, action });
    this.events.emit('changed', { run });
  }

  #sayJob(job: JobRecord, action: EngineEvents['job']['action']): void {
    this.events.emit('job', { job, action });
    this.events.emit('changed', { run: job.run });
  }
}

function isSettled(jobs: readonly JobRecord[], key: string): boolean {
  const own = jobs.filter((job) => job.key === key);
  return own.length > 0 && own.every((job) => job.status === 'completed');
}
