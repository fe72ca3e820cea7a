import { Emitter } from '../../emitter.ts';
import type { Actor } from '../../principal.ts';
import type { Store } from '../../store.ts';
import { evaluateCondition } from '../expressions/condition.ts';
import { renderText, renderValue } from '../expressions/template.ts';
import { isTruthy } from '../expressions/values.ts';
import { Approvals, type Review } from './approvals.ts';
import { failureAnnotation, noteProblem } from './blank-job.ts';
import { concludeRun } from './conclude.ts';
import { ConcurrencyGroups, groupKey } from './concurrency-groups.ts';
import type { EngineEvents } from './engine-events.ts';
import { Environments } from './environments.ts';
import { failFast } from './expand-job.ts';
import { expandRun } from './expand-run.ts';
import { groupOptions } from './group-options.ts';
import { jobScope, runContexts, type ServerUrls } from './job-scope.ts';
import type { JobTaker } from './job-taker.ts';
import { beginAttempt } from './new-attempt.ts';
import { type NewRun, newRun, workflowName } from './new-run.ts';
import { type Conclusion, currentJobs, type JobRecord, type RunRecord } from './records.ts';
import { WorkflowList } from './workflow-list.ts';

/** The service side of Actions: runs and their jobs, from the event to the conclusion. Knows no process and no HTTP. */
export class RunEngine {
  readonly events = new Emitter<EngineEvents>();
  readonly runs = new Map<number, RunRecord>();
  readonly workflows: WorkflowList;
  readonly environments: Environments;
  readonly approvals = new Approvals();
  readonly takers = new Set<JobTaker>();
  readonly #store: Store;
  readonly #urls: () => ServerUrls;
  readonly #groups = new ConcurrencyGroups();
  readonly #jobs = new Map<number, JobRecord>();
  /** Runs that are not completed, oldest first. */
  readonly #open = new Set<RunRecord>();
  /** The attempt of a run of which a job has started. */
  readonly #began = new Map<RunRecord, number>();
  readonly #expanding = new Set<RunRecord>();
  readonly #holding = new Set<JobRecord>();
  readonly #takenBy = new Map<JobRecord, JobTaker>();

  constructor(store: Store, urls: () => ServerUrls) {
    this.#store = store;
    this.workflows = new WorkflowList(store);
    this.environments = new Environments(store.now);
    this.#urls = urls;
  }

  job(id: number): JobRecord | undefined {
    const job = this.#jobs.get(id);
    return job !== undefined && this.runs.has(job.run.id) ? job : undefined;
  }

  /** Runs that are not completed. */
  get open(): readonly RunRecord[] {
    return [...this.#open];
  }

  /** Creates a run and sets it going. A file that cannot be executed gives a completed `startup_failure`. */
  start(options: NewRun): RunRecord {
    const { reading, path, repo } = options;
    const workflow = this.workflows.of(repo, path, workflowName(path, reading));
    const run = newRun(this.#store, workflow, options, this.#urls());
    this.runs.set(run.id, run);
    this.#open.add(run);
    this.#say(run, 'requested');
    if (run.file === null) this.#finish(run, 'startup_failure');
    else this.#enterGroup(run);
    return run;
  }

  /** Takes in a run of an earlier life of this server, as it then stood. */
  adopt(run: RunRecord): void {
    this.runs.set(run.id, run);
    for (const job of run.jobs) this.#jobs.set(job.id, job);
    if (run.status !== 'completed') this.#open.add(run);
  }

  /** A runner has begun a job. */
  jobStarted(job: JobRecord): void {
    if (job.status === 'completed') return;
    job.status = 'in_progress';
    job.startedAt = this.#store.now();
    this.#touch(job.run);
    job.run.status = 'in_progress';
    const first = this.#began.get(job.run) !== job.attempt;
    this.#began.set(job.run, job.attempt);
    if (first) this.#say(job.run, 'in_progress');
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
    this.offer();
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

  /** A new attempt of a completed run. False when it is not over, or its file could not be executed. */
  rerun(
    run: RunRecord,
    options: { readonly onlyFailed: boolean; readonly only?: JobRecord; readonly actor: Actor },
  ): boolean {
    if (run.status !== 'completed' || run.file === null) return false;
    const again = options.only ?? (options.onlyFailed ? 'failed' : 'all');
    const jobs = beginAttempt(this.#store, run, again, options.actor.user);
    for (const job of currentJobs(run)) this.#jobs.set(job.id, job);
    this.#open.add(run);
    this.#touch(run);
    this.#say(run, 'requested');
    this.#enterGroup(run, jobs);
    return true;
  }

  /** To GitHub the runner of a job is gone: the job fails, while its processes live on. False when it does not run. */
  lose(job: JobRecord): boolean {
    if (job.status !== 'in_progress') return false;
    const problem = `The self-hosted runner: ${job.runnerName} lost communication with the server. Verify the machine is running and has a healthy network connection. Anything in your workflow that terminates the runner process, starves it for CPU/Memory, or blocks its network access can cause this error.`;
    job.annotations.push(failureAnnotation(problem));
    this.#takenBy.get(job)?.lose(job);
    this.#takenBy.delete(job);
    this.#settle(job, 'failure');
    this.#advance(job.run);
    this.offer();
    return true;
  }

  /** Takes a reviewer's word on environments that jobs of a run wait for: they go on, or fail. */
  review(run: RunRecord, review: Review): JobRecord[] {
    const jobs = this.approvals.review(run, review);
    for (const job of jobs) {
      if (review.state === 'approved') this.#enterJobGroup(job);
      else {
        noteProblem(job, `${review.user.login} rejected the deployment to ${job.environment}.`);
        this.#settle(job, 'failure');
      }
    }
    this.#advance(run);
    return jobs;
  }

  /** Looks for runners for the jobs that wait; to be called when a runner comes. */
  offer(): void {
    for (const run of this.#open) {
      if (run.status === 'pending') continue;
      for (const job of currentJobs(run)) this.#offerJob(job);
    }
  }

  #enterGroup(run: RunRecord, again: readonly JobRecord[] = []): void {
    const begin = () => {
      this.#expanding.add(run);
      for (const job of again) this.#addJob(job);
      this.#expanding.delete(run);
      this.#advance(run);
    };
    const body = run.file?.body.concurrency;
    if (body === undefined) return begin();
    const scope = { contexts: runContexts(run, this.#urls()), functions: [] };
    run.concurrencyGroup = groupKey(run.repo, renderText(body.group, scope));
    run.status = 'pending';
    const start = () => {
      run.status = 'queued';
      begin();
    };
    this.#groups.enter(
      run.concurrencyGroup,
      { key: `run ${run.id}`, start, cancel: () => void this.cancel(run, false) },
      groupOptions(body, (value) => isTruthy(renderValue(value, scope))),
    );
    this.#touch(run);
  }

  /** Expands what can be, then looks for runners, or concludes the run. */
  #advance(run: RunRecord): void {
    // A job that is over as soon as it is added comes back here: the expansion that adds it goes on by itself.
    if (run.status === 'completed' || run.own === null || this.#expanding.has(run)) return;
    this.#expanding.add(run);
    const complete = expandRun(this.#store, run, this.#urls(), (job) => this.#addJob(job));
    this.#expanding.delete(run);
    if (complete) return this.#finish(run, concludeRun(run, currentJobs(run)));
    this.#noteWaiting(run);
    this.offer();
  }

  /** A run of which nothing can go on before a reviewer has spoken is `waiting`. */
  #noteWaiting(run: RunRecord): void {
    if (run.status === 'pending') return;
    const left = currentJobs(run).filter((job) => job.status !== 'completed');
    const waits = left.length > 0 && left.every((job) => this.approvals.has(job));
    const status = waits ? 'waiting' : this.#began.get(run) === run.attempt ? 'in_progress' : 'queued';
    if (run.status === status) return;
    run.status = status;
    this.events.emit('changed', { run });
  }

  #addJob(job: JobRecord): void {
    job.run.jobs.push(job);
    this.#jobs.set(job.id, job);
    this.#touch(job.run);
    if (job.status === 'completed') return this.#sayJob(job, 'completed');
    const environment = job.environment === null ? null : this.environments.of(job.run.repo, job.environment);
    if (environment === null || environment.reviewers.length === 0) return this.#enterJobGroup(job);
    this.approvals.add(job, environment);
    job.status = 'waiting';
    this.#sayJob(job, 'waiting');
  }

  #enterJobGroup(job: JobRecord): void {
    const queue = () => {
      job.status = 'queued';
      this.#sayJob(job, 'queued');
      if (!this.#refuseLabels(job)) this.offer();
    };
    if (job.concurrencyGroup === null) return queue();
    const group = groupKey(job.run.repo, job.concurrencyGroup);
    if (group === job.run.concurrencyGroup) {
      noteProblem(
        job,
        `Canceling since a deadlock for concurrency group '${job.concurrencyGroup}' was detected between 'top level workflow' and '${job.key}'`,
      );
      return this.#settle(job, 'cancelled');
    }
    job.status = 'waiting';
    this.#sayJob(job, 'waiting');
    const scope = jobScope(job.run, job, this.#urls(), job.matrix);
    this.#holding.add(job);
    this.#groups.enter(
      group,
      { key: `job ${job.id}`, start: queue, cancel: () => this.#cancelJob(job) },
      groupOptions(job.body.concurrency!, (value) => isTruthy(renderValue(value, scope))),
    );
  }

  /** A machine that nobody registered and that is no self-hosted one will never come: said by name instead of waiting. */
  #refuseLabels(job: JobRecord): boolean {
    const { labels } = job;
    if (labels.some((label) => label.toLowerCase() === 'self-hosted')) return false;
    if (this.takers.size === 0 || [...this.takers].some((taker) => taker.serves(job))) return false;
    noteProblem(job, `runs-on: ${labels.join(', ')}: no runner of the local runner has these labels`);
    this.#settle(job, 'failure');
    this.#advance(job.run);
    return true;
  }

  #cancelJob(job: JobRecord): void {
    const taker = this.#takenBy.get(job);
    if (taker !== undefined) return taker.stop(job, false);
    if (job.status === 'completed') return;
    this.#settle(job, 'cancelled');
    this.#advance(job.run);
  }

  #wantedAfterCancel(job: JobRecord): boolean {
    return evaluateCondition(job.body.if, jobScope(job.run, job, this.#urls(), job.matrix));
  }

  #stopSiblings(failed: JobRecord): void {
    for (const job of currentJobs(failed.run)) {
      if (job === failed || job.set !== failed.set || job.key !== failed.key) continue;
      if (job.status === 'completed') continue;
      const taker = this.#takenBy.get(job);
      if (taker !== undefined) taker.stop(job, false);
      else this.#settle(job, 'cancelled');
    }
  }

  #settle(job: JobRecord, conclusion: Conclusion): void {
    const now = this.#store.now();
    const startedAt = job.startedAt ?? now;
    Object.assign(job, { status: 'completed', conclusion, startedAt, completedAt: now });
    this.approvals.drop(job);
    this.#touch(job.run);
    this.#sayJob(job, 'completed');
    if (!this.#holding.delete(job)) return;
    this.#groups.leave(groupKey(job.run.repo, job.concurrencyGroup!), `job ${job.id}`);
  }

  #finish(run: RunRecord, conclusion: Conclusion): void {
    Object.assign(run, { status: 'completed', conclusion });
    this.#open.delete(run);
    this.#began.delete(run);
    this.#touch(run);
    this.#say(run, 'completed');
    if (run.concurrencyGroup !== null) this.#groups.leave(run.concurrencyGroup, `run ${run.id}`);
  }

  #offerJob(job: JobRecord): void {
    if (job.status !== 'queued' || this.#takenBy.has(job)) return;
    const siblings = [...this.#takenBy.keys()].filter((one) => one.set === job.set && one.key === job.key);
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
