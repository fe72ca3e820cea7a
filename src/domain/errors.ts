/** Who has to act when an error is reported. */
export type Audience = 'author' | 'operator' | 'bug';

export interface CcdErrorOptions {
  /** Stable, documented, SCREAMING-free identifier such as `state.missing`. */
  readonly code: string;
  /** What happened, in one sentence. */
  readonly message: string;
  /** What the reader can do next, in one sentence. */
  readonly remedy: string;
  readonly audience: Audience;
  /** False unless the adapter that met the fault has proved that repeating is safe and useful. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/**
 * The one error class of ccd. Outcomes that a person could be told about are values; this is for faults.
 * The command line maps `audience` to exit codes: author and operator 2, bug 70.
 */
export class CcdError extends Error {
  readonly code: string;
  readonly remedy: string;
  readonly audience: Audience;
  readonly retryable: boolean;

  constructor(options: CcdErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CcdError';
    this.code = options.code;
    this.remedy = options.remedy;
    this.audience = options.audience;
    this.retryable = options.retryable ?? false;
  }
}

/** Marks a branch of an exhaustive switch that the types say cannot be reached. */
export function unreachable(value: never): never {
  throw new CcdError({
    code: 'bug.unreachable',
    message: `Unexpected variant: ${JSON.stringify(value)}`,
    remedy: 'Report this with the log of the run.',
    audience: 'bug',
  });
}
