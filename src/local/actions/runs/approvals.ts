import type { User } from '../../records/identity.ts';
import type { Environment } from './environments.ts';
import type { JobRecord, RunRecord } from './records.ts';

/** Jobs of a run that wait for one environment. */
export interface PendingApproval {
  readonly environment: Environment;
  readonly jobs: readonly JobRecord[];
}

/** What a reviewer said. */
export interface Review {
  readonly environments: readonly Environment[];
  readonly state: 'approved' | 'rejected';
  readonly user: User;
  readonly comment: string;
}

/** Jobs that wait for a reviewer of their environment. */
export class Approvals {
  readonly #waiting = new Map<JobRecord, Environment>();
  readonly #reviews = new Map<RunRecord, Review[]>();

  add(job: JobRecord, environment: Environment): void {
    this.#waiting.set(job, environment);
  }

  has(job: JobRecord): boolean {
    return this.#waiting.has(job);
  }

  /** A job waits no longer, however that came. */
  drop(job: JobRecord): void {
    this.#waiting.delete(job);
  }

  pendingOf(run: RunRecord): PendingApproval[] {
    const own = [...this.#waiting].filter(([job]) => job.run === run);
    return [...new Set(own.map(([, environment]) => environment))].map((environment) => ({
      environment,
      jobs: own.filter(([, one]) => one === environment).map(([job]) => job),
    }));
  }

  reviewsOf(run: RunRecord): readonly Review[] {
    return this.#reviews.get(run) ?? [];
  }

  /** Takes note of a review and hands out the jobs that it is about. */
  review(run: RunRecord, review: Review): JobRecord[] {
    const jobs = this.pendingOf(run)
      .filter((one) => review.environments.includes(one.environment))
      .flatMap((one) => one.jobs);
    for (const job of jobs) this.drop(job);
    this.#reviews.set(run, [...this.reviewsOf(run), review]);
    return jobs;
  }
}

/** Whether a person may review: a reviewer, and not the one who started the run where that is forbidden. */
export function mayReview(environment: Environment, run: RunRecord, user: User): boolean {
  const self = environment.preventSelfReview && run.triggeringActor.id === user.id;
  return !self && environment.reviewers.some((one) => one.id === user.id);
}
