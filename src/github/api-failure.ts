import { type Audience, CcdError } from '../domain/errors.ts';
import type { Failure } from './classify.ts';

const advice: Record<Failure['kind'], { remedy: string; audience: Audience }> = {
  'not-found': {
    remedy: 'Check that the repository exists and that the app is installed on it.',
    audience: 'operator',
  },
  forbidden: {
    remedy: "Compare the installation's permissions with app.yml and accept what is new.",
    audience: 'operator',
  },
  conflict: { remedy: 'Read again, then decide again.', audience: 'bug' },
  unprocessable: { remedy: 'Report this with the log of the run.', audience: 'bug' },
  unauthorized: { remedy: "Check the app's id and private key, or the token.", audience: 'operator' },
  'rate-limited': { remedy: 'Wait until the limit is lifted; the next pass goes on.', audience: 'operator' },
  unclear: {
    remedy: 'Check the network and the status page of GitHub; the next pass goes on.',
    audience: 'operator',
  },
};

/** A read that failed, with its class. Codes: `github.` and the kind of the failure. */
export class ApiFailure extends CcdError {
  readonly failure: Failure;

  constructor(call: string, failure: Failure, cause?: unknown) {
    super({
      code: `github.${failure.kind}`,
      message: `${call}: ${failure.message} (${failure.status ?? 'no answer'})`,
      ...advice[failure.kind],
      retryable: failure.kind === 'unclear' || failure.kind === 'rate-limited',
      cause,
    });
    this.failure = failure;
  }
}

/** When a rate limit ends (epoch milliseconds), or null when the error tells of none. */
export function retryAtOf(error: unknown): number | null {
  return error instanceof ApiFailure && error.failure.kind === 'rate-limited'
    ? error.failure.retryAtMs
    : null;
}

/** Whether a read failed because there is nothing of that name. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiFailure && error.failure.kind === 'not-found';
}
