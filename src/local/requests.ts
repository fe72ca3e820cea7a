import { resourceOf, Spending } from './spending.ts';

export interface RequestRecord {
  readonly at: number;
  /** `app:<slug>`, `user:<login>`, `job:<run>` or `anonymous`. */
  readonly principal: string;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** `content` is the creation of something people are notified of; it is counted as a write too by GitHub, here apart. */
  readonly kind: 'read' | 'write' | 'content' | 'git';
}

export interface RequestCounts {
  read: number;
  write: number;
  content: number;
  git: number;
}

const KEPT_RECORDS = 100_000;

/** The newest requests of a life of the server, and counts of all by principal. */
export class RequestLog {
  readonly records: RequestRecord[] = [];
  readonly spending = new Spending();
  readonly #counts = new Map<string, RequestCounts>();

  add(record: RequestRecord): void {
    this.records.push(record);
    const counts = this.countsOf(record.principal);
    counts[record.kind] += 1;
    this.#counts.set(record.principal, counts);
    if (this.records.length > KEPT_RECORDS) this.records.splice(0, KEPT_RECORDS / 2);
    if (record.kind === 'git' || record.status === 304 || record.operation === 'rate-limit/get') return;
    this.spending.spend(record.principal, record.at, {
      resource: resourceOf(record.operation),
      points: record.kind === 'read' ? 1 : 5,
      content: record.kind === 'content' && record.status < 300,
    });
  }

  /** Counts of one principal (`app:<slug>` is an app alone, JWT and installations together). */
  countsOf(principal: string): RequestCounts {
    return this.#counts.get(principal) ?? { read: 0, write: 0, content: 0, git: 0 };
  }

  all(): Record<string, RequestCounts> {
    return Object.fromEntries(this.#counts);
  }
}
