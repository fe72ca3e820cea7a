import type { JobTaker } from './job-taker.ts';
import type { JobRecord } from './records.ts';

/** The runners, and which job is at which. */
export class TakenJobs {
  readonly takers = new Set<JobTaker>();
  readonly #by = new Map<JobRecord, JobTaker>();

  /** Gives a queued job to the first runner that has a place for it, unless as many of its matrix run as may. */
  offer(job: JobRecord): void {
    if (job.status !== 'queued' || this.#by.has(job)) return;
    const siblings = [...this.#by.keys()].filter((one) => one.set === job.set && one.key === job.key);
    if (siblings.length >= job.maxParallel) return;
    const taker = [...this.takers].find((one) => one.accepts(job));
    if (taker === undefined) return;
    this.#by.set(job, taker);
    job.runnerId = taker.id;
    job.runnerName = taker.name;
    taker.take(job);
  }

  /** False for labels that no runner has and that no self-hosted one can be expected to bring. */
  mayServe(job: JobRecord): boolean {
    if (job.labels.some((label) => label.toLowerCase() === 'self-hosted')) return true;
    return this.takers.size === 0 || [...this.takers].some((taker) => taker.serves(job));
  }

  /** Asks the runner of a job to stop it. False when none has it. */
  stop(job: JobRecord, force: boolean): boolean {
    this.#by.get(job)?.stop(job, force);
    return this.#by.has(job);
  }

  /** The runner of a job counts as gone. */
  lose(job: JobRecord): void {
    this.#by.get(job)?.lose(job);
    this.#by.delete(job);
  }

  release(job: JobRecord): void {
    this.#by.delete(job);
  }
}
