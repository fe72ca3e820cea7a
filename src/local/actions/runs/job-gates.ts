import { renderValue } from '../expressions/template.ts';
import { isTruthy } from '../expressions/values.ts';
import type { Approvals, Review } from './approvals.ts';
import { noteProblem } from './blank-job.ts';
import { type ConcurrencyGroups, groupKey } from './concurrency-groups.ts';
import type { Environments } from './environments.ts';
import { groupOptions } from './group-options.ts';
import { jobScope, type ServerUrls } from './job-scope.ts';
import type { Conclusion, JobRecord, RunRecord } from './records.ts';

/** What the gates need of the engine. */
interface GateKeeper {
  readonly wait: (job: JobRecord) => void;
  readonly queue: (job: JobRecord) => void;
  readonly cancel: (job: JobRecord) => void;
  readonly settle: (job: JobRecord, conclusion: Conclusion) => void;
}

/** What stands between a job and the queue: first the reviewers of its environment, then its concurrency group. */
export class JobGates {
  readonly environments: Environments;
  readonly approvals: Approvals;
  readonly #groups: ConcurrencyGroups;
  readonly #keeper: GateKeeper;
  readonly #urls: () => ServerUrls;
  readonly #holding = new Set<JobRecord>();

  constructor(
    parts: Pick<JobGates, 'environments' | 'approvals'> & {
      readonly groups: ConcurrencyGroups;
      readonly urls: () => ServerUrls;
    },
    keeper: GateKeeper,
  ) {
    this.environments = parts.environments;
    this.approvals = parts.approvals;
    this.#groups = parts.groups;
    this.#urls = parts.urls;
    this.#keeper = keeper;
  }

  /** Lets a job through, or keeps it. */
  enter(job: JobRecord): void {
    const { environment: name, run } = job;
    const environment = name === null ? null : this.environments.of(run.repo, name);
    if (environment === null || environment.reviewers.length === 0) return this.#enterGroup(job);
    this.approvals.add(job, environment);
    this.#keeper.wait(job);
  }

  /** Takes a reviewer's word: the jobs that waited for it go on, or fail. Answers which these are. */
  review(run: RunRecord, review: Review): JobRecord[] {
    const jobs = this.approvals.review(run, review);
    for (const job of jobs) {
      if (review.state === 'approved') this.#enterGroup(job);
      else this.#end(job, 'failure', `${review.user.login} rejected the deployment to ${job.environment}.`);
    }
    return jobs;
  }

  /** A job is over: whatever waits behind it may go on. */
  leave(job: JobRecord): void {
    this.approvals.drop(job);
    if (!this.#holding.delete(job)) return;
    this.#groups.leave(groupKey(job.run.repo, job.concurrencyGroup!), `job ${job.id}`);
  }

  #enterGroup(job: JobRecord): void {
    if (job.concurrencyGroup === null) return this.#keeper.queue(job);
    const group = groupKey(job.run.repo, job.concurrencyGroup);
    if (group === job.run.concurrencyGroup) {
      const problem = `Canceling since a deadlock for concurrency group '${job.concurrencyGroup}' was detected between 'top level workflow' and '${job.key}'`;
      return this.#end(job, 'cancelled', problem);
    }
    const scope = jobScope(job.run, job, this.#urls(), job.matrix);
    let options: ReturnType<typeof groupOptions>;
    try {
      options = groupOptions(job.body.concurrency!, (value) => isTruthy(renderValue(value, scope)));
    } catch (error) {
      return this.#end(job, 'failure', `concurrency: ${(error as Error).message}`);
    }
    this.#keeper.wait(job);
    this.#holding.add(job);
    const start = () => this.#keeper.queue(job);
    const cancel = () => this.#keeper.cancel(job);
    this.#groups.enter(group, { key: `job ${job.id}`, start, cancel }, options);
  }

  #end(job: JobRecord, conclusion: Conclusion, problem: string): void {
    noteProblem(job, problem);
    this.#keeper.settle(job, conclusion);
  }
}
