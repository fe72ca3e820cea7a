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
