import { failureAnnotation } from '../runs/blank-job.ts';
import type { JobRecord } from '../runs/records.ts';
import type { Masks } from './masks.ts';

/** Writes a job's log: time stamp, secrets masked, as GitHub stores it. */
export class JobLog {
  readonly #job: JobRecord;
  readonly #masks: Masks;
  readonly #now: () => number;
  readonly #changed: () => void;

  constructor(job: JobRecord, masks: Masks, now: () => number, changed: () => void) {
    this.#job = job;
    this.#masks = masks;
    this.#now = now;
    this.#changed = changed;
  }

  line(text: string): void {
    const stamp = new Date(this.#now()).toISOString().replace('Z', '0000Z');
    for (const line of this.#masks.apply(text).split('\n')) this.#job.log.push(`${stamp} ${line}`);
    this.#changed();
  }

  group(title: string, lines: readonly string[]): void {
    this.line(`##[group]${title}`);
    for (const line of lines) this.line(line);
    this.line('##[endgroup]');
  }

  /** An error of the runner's own: a line, and an annotation on the job. */
  error(text: string): void {
    this.line(`##[error]${text}`);
    this.#job.annotations.push(failureAnnotation(this.#masks.apply(text)));
  }
}
