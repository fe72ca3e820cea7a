/** Time as the door to the API needs it; the host's clock fits. Milliseconds. */
export interface ApiClock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

/** Where the client's own lines go. */
export interface ApiLog {
  debug(message: string): void;
  warn(message: string): void;
}

export interface ClientOptions {
  /** `https://api.github.com`, or `http(s)://host/api/v3` of a server of one's own. */
  readonly baseUrl: string;
  /** The token for the next request; asked for before each, so that it can be renewed. */
  readonly token: () => Promise<string>;
  readonly clock: ApiClock;
  /** Between 0 and 1, for the jitter of repeated reads. */
  readonly random: () => number;
  readonly log: ApiLog;
  readonly userAgent: string;
  readonly fetch?: typeof globalThis.fetch;
  /** Least time between two writes; GitHub asks for 1000, a local GitHub needs 0. */
  readonly writeGapMs: number;
  /** Requests at the same time; GitHub allows 100. Default 10. */
  readonly concurrency?: number;
  /** Time after which a request counts as unanswered. Default 30 000. */
  readonly timeoutMs?: number;
}

export interface CallCounts {
  readonly read: number;
  readonly write: number;
  /** Writes that make content (comments, issues, pull requests, checks), of which GitHub allows 500 an hour. */
  readonly content: number;
}

/** The primary limit as the last answer told it. */
export interface ApiBudget {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAtMs: number;
}
