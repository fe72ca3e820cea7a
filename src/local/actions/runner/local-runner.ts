import { mkdir } from 'node:fs/promises';
import type { JobTaker } from '../runs/job-taker.ts';
import type { JobRecord } from '../runs/records.ts';
import type { RunEngine } from '../runs/run-engine.ts';
import { HOSTED_LABELS, type RunnerConfig } from './config.ts';
import { executeJob, type JobEnd } from './execute-job.ts';
import type { JobServices } from './job-world.ts';
import { StopControl } from './stop-control.ts';

/** What the runner needs of the service for one job, and how it gives it back. */
export interface Desk {
  /** Tokens and contexts for a job that starts. */
  open(job: JobRecord): JobServices;
  /** The job's processes are gone. `lost`: GitHub had given the job up before. */
  close(job: JobRecord, lost: boolean): void;
  /** Whether a job is to hang instead of ending. */
  isStuck(job: JobRecord): boolean;
}

interface Running {
  readonly control: StopControl;
  readonly done: Promise<void>;
  lost: boolean;
}

/** A runner in this process: takes jobs, executes them as real child processes, and leaves none behind. */
export class LocalRunner implements JobTaker {
  readonly id: number;
  readonly name: string;
  readonly #config: RunnerConfig;
  readonly #engine: RunEngine;
  readonly #desk: Desk;
  readonly #running = new Map<JobRecord, Running>();
  #closed = false;

  constructor(id: number, config: RunnerConfig, engine: RunEngine, desk: Desk) {
    this.id = id;
    this.name = config.name;
    this.#config = config;
    this.#engine = engine;
    this.#desk = desk;
  }

  accepts(job: JobRecord): boolean {
    const busy = [...this.#running.values()].filter((one) => !one.lost).length;
    return !this.#closed && busy < this.#config.concurrency && this.serves(job);
  }

  serves(job: JobRecord): boolean {
    const labels = [...this.#config.labels, ...HOSTED_LABELS].map((label) => label.toLowerCase());
    return job.labels.every((label) => labels.includes(label.toLowerCase()));
  }

  take(job: JobRecord): void {
    const control = new StopControl(this.#config.cancelGrace);
    const done = this.#execute(job, control);
    this.#running.set(job, { control, done, lost: false });
  }

  stop(job: JobRecord, force: boolean): void {
    this.#running.get(job)?.control.request(force);
  }

  lose(job: JobRecord): void {
    const running = this.#running.get(job);
    if (running !== undefined) running.lost = true;
  }

  /** Jobs whose processes are still there, lost ones included. */
  get busy(): readonly JobRecord[] {
    return [...this.#running.keys()];
  }

  /** Resolves when a job's processes are gone, also when GitHub gave it up long before. */
  async gone(job: JobRecord): Promise<void> {
    await this.#running.get(job)?.done;
  }

  /** Takes no more jobs, kills those that run, and resolves when no process of them is left. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#engine.takers.delete(this);
    const running = [...this.#running.values()];
    for (const one of running) one.control.request(true);
    await Promise.all(running.map((one) => one.done));
  }

  async #execute(job: JobRecord, control: StopControl): Promise<void> {
    await mkdir(this.#config.workDir, { recursive: true });
    this.#engine.jobStarted(job);
    let end = await this.#attempt(job, control);
    if (this.#desk.isStuck(job)) {
      await control.requested;
      end = { ...end, conclusion: 'cancelled' };
    }
    control.end();
    const lost = this.#running.get(job)?.lost ?? false;
    this.#running.delete(job);
    this.#desk.close(job, lost);
    if (!lost) job.outputs = end.outputs;
    this.#engine.jobFinished(job, end.conclusion);
  }

  async #attempt(job: JobRecord, control: StopControl): Promise<JobEnd> {
    try {
      return await executeJob(job, this.#config, this.#desk.open(job), control);
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      job.log.push(`##[error]The runner failed: ${text}`);
      return { conclusion: 'failure', outputs: {} };
    }
  }
}
