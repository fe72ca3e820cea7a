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

/** What outlives a server: who waits for what, and what was said. */
export interface KeptApprovals {
  readonly waiting: Map<JobRecord, Environment>;
  readonly reviews: Map<RunRecord, Review[]>;
}

/** Jobs that wait for a reviewer of their environment. */
export class Approvals {
  readonly #waiting = new Map<JobRecord, Environment>();
  readonly #reviews = new Map<RunRecord, Review[]>();

  /** All of it, as it stands. */
  get kept(): KeptApprovals {
    return { waiting: this.#waiting, reviews: this.#reviews };
  }

  /** Takes over what an earlier server kept. */
  adopt({ waiting, reviews }: KeptApprovals): void {
    for (const [job, environment] of waiting) this.#waiting.set(job, environment);
    for (const [run, said] of reviews) this.#reviews.set(run, said);
  }

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
