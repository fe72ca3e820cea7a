import type { JobRecord } from './records.ts';

/** A machine that executes jobs, as the engine sees it. */
export interface JobTaker {
  readonly id: number;
  readonly name: string;
  /** Whether it has all the labels a job asks for. */
  readonly serves: (job: JobRecord) => boolean;
  /** Whether it has a free place and all the labels a job asks for. */
  readonly accepts: (job: JobRecord) => boolean;
  /** Starts the job; reports by `jobStarted` and `jobFinished`. */
  readonly take: (job: JobRecord) => void;
  /** Asks a job to stop: in an orderly way, or at once. */
  readonly stop: (job: JobRecord, force: boolean) => void;
  /** Gives a job's place free although its processes live on. */
  readonly lose: (job: JobRecord) => void;
}
