import { z } from 'zod';
import { ApiFailure } from './api-failure.ts';
import { type Failure, oneLine, rateLimited } from './classify.ts';
import { parseAnswer } from './parse-answer.ts';
import type { Answer } from './transport.ts';

const envelopeSchema = z.object({
  data: z.unknown().optional(),
  errors: z
    .array(z.object({ type: z.string().optional().catch(undefined), message: z.string().catch('') }))
    .optional(),
});

/** GraphQL's address next to a REST base: `/api/graphql` beside `/api/v3`, `/graphql` otherwise. */
export function graphqlAddress(baseUrl: string): string {
  const base = baseUrl.replace(/\/$/, '');
  return base.endsWith('/api/v3') ? `${base.slice(0, -'/v3'.length)}/graphql` : `${base}/graphql`;
}

/**
 * The data of a GraphQL answer. Objects that do not exist come as null beside errors of type NOT_FOUND: that is data.
 * Every other error throws ApiFailure, whatever data came with it.
 */
export function graphqlData(answer: Answer, now: number): unknown {
  const { data, errors = [] } = parseAnswer('GraphQL', envelopeSchema, answer.data);
  const fault = errors.find((error) => error.type !== 'NOT_FOUND') ?? (data == null ? errors[0] : undefined);
  if (fault !== undefined) throw new ApiFailure('GraphQL', failureOf(fault, answer, now));
  if (data == null) throw new ApiFailure('GraphQL', unclear(answer, 'neither data nor errors'));
  return data;
}

function failureOf(
  fault: { type?: string | undefined; message: string },
  answer: Answer,
  now: number,
): Failure {
  const message = oneLine(fault.message);
  if (fault.type === 'RATE_LIMITED' || fault.type === 'RATE_LIMIT')
    return rateLimited(answer.status, message, answer.headers, now);
  if (fault.type === 'FORBIDDEN' || fault.type === 'INSUFFICIENT_SCOPES')
    return { kind: 'forbidden', status: answer.status, message };
  if (fault.type === 'NOT_FOUND') return { kind: 'not-found', status: answer.status, message };
  if (/something went wrong while executing/i.test(message)) return unclear(answer, message);
  return { kind: 'unprocessable', status: answer.status, message };
}

function unclear(answer: Answer, message: string): Failure {
  return { kind: 'unclear', status: answer.status, message };
}
