import { failureAnnotation } from '../runs/blank-job.ts';
import type { JobRecord } from '../runs/records.ts';
import type { Masks } from './masks.ts';

/** Characters of one job's log that are kept. A job that writes without end would take all memory. */
const MAX_LOG = 64 * 1024 * 1024;
const TOO_LONG = '##[warning]The log is too long: nothing that comes after this is kept.';

/** Writes a job's log: time stamp, secrets masked, as GitHub stores it. */
export class JobLog {
  readonly #job: JobRecord;
  readonly #masks: Masks;
  readonly #now: () => number;
  readonly #changed: () => void;
  #room: number;

  constructor(job: JobRecord, masks: Masks, now: () => number, changed: () => void, room = MAX_LOG) {
    this.#room = room;
    this.#job = job;
    this.#masks = masks;
    this.#now = now;
    this.#changed = changed;
  }

  line(text: string): void {
    if (this.#room <= 0) return;
    const stamp = new Date(this.#now()).toISOString().replace('Z', '0000Z');
    for (const line of this.#masks.apply(text).split('\n')) {
      this.#job.log.push(`${stamp} ${line}`);
      this.#room -= stamp.length + line.length + 2;
    }
    if (this.#room <= 0) this.#job.log.push(`${stamp} ${TOO_LONG}`);
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
