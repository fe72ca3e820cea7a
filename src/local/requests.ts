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

/** All requests of a life of the server, and counts by principal. */
export class RequestLog {
  readonly records: RequestRecord[] = [];
  readonly #counts = new Map<string, RequestCounts>();

  add(record: RequestRecord): void {
    this.records.push(record);
    const counts = this.countsOf(record.principal);
    counts[record.kind] += 1;
    this.#counts.set(record.principal, counts);
  }

  /** Counts of one principal (`app:<slug>` is an app alone, JWT and installations together). */
  countsOf(principal: string): RequestCounts {
    return this.#counts.get(principal) ?? { read: 0, write: 0, content: 0, git: 0 };
  }

  all(): Record<string, RequestCounts> {
    return Object.fromEntries(this.#counts);
  }
}
