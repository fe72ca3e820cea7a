import { Emitter } from '../../emitter.ts';
import type { Actor } from '../../principal.ts';
import type { Store } from '../../store.ts';
import { Approvals, type Review } from './approvals.ts';
import { lostAnnotation, noteProblem } from './blank-job.ts';
import { concludeRun } from './conclude.ts';
import { ConcurrencyGroups } from './concurrency-groups.ts';
import type { EngineEvents } from './engine-events.ts';
import { Environments } from './environments.ts';
import { expandRun } from './expand-run.ts';
import { JobGates } from './job-gates.ts';
import { type ServerUrls, wantedNow } from './job-scope.ts';
import { currentCalls } from './job-set.ts';
import type { JobTaker } from './job-taker.ts';
import { beginAttempt } from './new-attempt.ts';
import { type NewRun, newRun, workflowName } from './new-run.ts';
import { type Conclusion, currentJobs, type JobRecord, type RunRecord } from './records.ts';
import { runGroup } from './run-group.ts';
import { openStatus } from './run-status.ts';
import { stoppedBy } from './siblings.ts';
import { TakenJobs } from './taken-jobs.ts';
import { WorkflowList } from './workflow-list.ts';

/** The service side of Actions: runs and their jobs, from the event to the conclusion. Knows no process and no HTTP. */
export class RunEngine {
  readonly events = new Emitter<EngineEvents>();
  readonly runs = new Map<number, RunRecord>();
  readonly workflows: WorkflowList;
  readonly environments: Environments;
  readonly approvals = new Approvals();
  readonly #store: Store;
  readonly #urls: () => ServerUrls;
  readonly #groups = new ConcurrencyGroups();
  readonly #jobs = new Map<number, JobRecord>();
  /** Runs that are not completed, oldest first. */
  readonly #open = new Set<RunRecord>();
  /** The attempt of a run of which a job has started. */
  readonly #began = new Map<RunRecord, number>();
  readonly #expanding = new Set<RunRecord>();
  readonly #gates: JobGates;
  readonly #taken = new TakenJobs();

  constructor(store: Store, urls: () => ServerUrls) {
    this.#store = store;
    this.workflows = new WorkflowList(store);
    this.environments = new Environments(store.now);
    this.#urls = urls;
    const { environments, approvals } = this;
    this.#gates = new JobGates(
      { environments, approvals, groups: this.#groups, urls },
      {
        wait: (job) => {
          job.status = 'waiting';
          this.#sayJob(job, 'waiting');
        },
        queue: (job) => this.#queue(job),
        cancel: (job) => {
          this.#stop(job);
          this.#advance(job.run);
        },
        settle: (job, conclusion) => this.#settle(job, conclusion),
      },
    );
  }

  get takers(): Set<JobTaker> {
    return this.#taken.takers;
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
    if (run.status === 'completed') return;
    this.#open.add(run);
    // It held its group's place, which nobody else may take while it waits for a reviewer.
    const held = { key: `run ${run.id}`, start: () => undefined, cancel: () => void this.cancel(run, false) };
    if (run.concurrencyGroup !== null && run.status !== 'pending')
      this.#groups.enter(run.concurrencyGroup, held, { cancelInProgress: false, queue: 'single' });
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
    this.#taken.release(job);
    if (job.status !== 'completed') {
      this.#settle(job, conclusion);
      if (conclusion === 'failure' && !job.continueOnError) for (const one of stoppedBy(job)) this.#stop(one);
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
      if (this.#taken.stop(job, force) || job.status === 'in_progress') continue;
      if (job.status !== 'completed' && (force || !wantedNow(job, this.#urls())))
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
    job.annotations.push(lostAnnotation(job));
    this.#taken.lose(job);
    this.#settle(job, 'failure');
    this.#advance(job.run);
    this.offer();
    return true;
  }

  /** Takes a reviewer's word on environments that jobs of a run wait for: they go on, or fail. */
  review(run: RunRecord, review: Review): JobRecord[] {
    const jobs = this.#gates.review(run, review);
    this.#advance(run);
    return jobs;
  }

  /** Looks for runners for the jobs that wait; to be called when a runner comes. */
  offer(): void {
    for (const run of this.#open) {
      if (run.status === 'pending') continue;
      for (const job of currentJobs(run)) this.#taken.offer(job);
    }
  }

  #enterGroup(run: RunRecord, again: readonly JobRecord[] = []): void {
    const begin = () => {
      this.#expanding.add(run);
      for (const job of again) this.#addJob(job);
      this.#expanding.delete(run);
      this.#advance(run);
    };
    let group: ReturnType<typeof runGroup>;
    try {
      group = runGroup(run, this.#urls());
    } catch (error) {
      run.problems = [`${run.workflow.path}: concurrency: ${(error as Error).message}`];
      return this.#finish(run, 'startup_failure');
    }
    if (group === null) return begin();
    run.concurrencyGroup = group.key;
    run.status = 'pending';
    const start = () => {
      run.status = 'queued';
      begin();
    };
    const cancel = () => void this.cancel(run, false);
    this.#groups.enter(group.key, { key: `run ${run.id}`, start, cancel }, group.options);
    this.#touch(run);
  }

  /** Expands what can be, then looks for runners, or concludes the run. */
  #advance(run: RunRecord): void {
    // A job that is over as soon as it is added comes back here: the expansion that adds it goes on by itself.
    if (run.status === 'completed' || run.own === null || this.#expanding.has(run)) return;
    this.#expanding.add(run);
    const complete = expandRun(this.#store, run, this.#urls(), (job) => this.#addJob(job));
    this.#expanding.delete(run);
    if (complete) return this.#finish(run, concludeRun(run, [...currentJobs(run), ...currentCalls(run)]));
    if (run.status !== 'pending') {
      run.status = openStatus(run, this.approvals, this.#began.get(run) === run.attempt);
      this.events.emit('changed', { run });
    }
    this.offer();
  }

  #addJob(job: JobRecord): void {
    job.run.jobs.push(job);
    this.#jobs.set(job.id, job);
    this.#touch(job.run);
    if (job.status === 'completed') return this.#sayJob(job, 'completed');
    this.#gates.enter(job);
  }

  #queue(job: JobRecord): void {
    job.status = 'queued';
    this.#sayJob(job, 'queued');
    if (!this.#refuseLabels(job)) this.offer();
  }

  /** A machine that nobody registered and that is no self-hosted one will never come: said by name instead of waiting. */
  #refuseLabels(job: JobRecord): boolean {
    if (this.#taken.mayServe(job)) return false;
    noteProblem(job, `runs-on: ${job.labels.join(', ')}: no runner of the local runner has these labels`);
    this.#settle(job, 'failure');
    this.#advance(job.run);
    return true;
  }

  /** Asks a job to stop that runs, and ends one that does not. */
  #stop(job: JobRecord): void {
    if (!this.#taken.stop(job, false) && job.status !== 'completed') this.#settle(job, 'cancelled');
  }

  #settle(job: JobRecord, conclusion: Conclusion): void {
    const now = this.#store.now();
    const startedAt = job.startedAt ?? now;
    Object.assign(job, { status: 'completed', conclusion, startedAt, completedAt: now });
    this.#touch(job.run);
    this.#sayJob(job, 'completed');
    this.#gates.leave(job);
  }

  #finish(run: RunRecord, conclusion: Conclusion): void {
    Object.assign(run, { status: 'completed', conclusion });
    this.#open.delete(run);
    this.#began.delete(run);
    this.#touch(run);
    this.#say(run, 'completed');
    if (run.concurrencyGroup !== null) this.#groups.leave(run.concurrencyGroup, `run ${run.id}`);
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
