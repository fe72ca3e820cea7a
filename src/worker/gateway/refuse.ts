import type { ServerResponse } from 'node:http';
import type { ApiError } from './admission.ts';

/** Answers in the words of the Messages API, in the parent's name. `hangUp` also ends the connection. */
export function refuse(outgoing: ServerResponse, error: ApiError, hangUp = false): void {
  const { status, type, message, retryAfterMs } = error;
  const body = JSON.stringify({ type: 'error', error: { type, message } });
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
    ...(hangUp ? { connection: 'close' } : {}),
  });
  outgoing.end(body);
}

/** 400 is what the agent does not retry. */
export function finalError(message: string): ApiError {
  return { status: 400, type: 'invalid_request_error', message };
}

/** In the words by which the agent, and the outcome table, know an allowance that is used up. */
export function usageLimitError(resetsAt: string | null): ApiError {
  const when =
    resetsAt === null
      ? ''
      : ` You will regain access on ${resetsAt.slice(0, 10)} at ${resetsAt.slice(11, 16)} UTC.`;
  return finalError(`You have reached your specified API usage limits.${when}`);
}

export const noSlotError: ApiError = {
  status: 429,
  type: 'rate_limit_error',
  message: 'All keys for the model are in use by other workers of this machine.',
  retryAfterMs: 30_000,
};

/** For who has no key left; `why` is a word of the outcome table. */
export function goneError(why: string, resetsAt: string | null): ApiError {
  if (why === 'usage-limit') return usageLimitError(resetsAt);
  return { status: 403, type: 'permission_error', message: `No key for the model can be used (${why}).` };
}
