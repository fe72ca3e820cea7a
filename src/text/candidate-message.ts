import { z } from 'zod';
import { attemptIdSchema } from '../domain/attempt.ts';
import { issueNumberSchema, oidSchema } from '../domain/ids.ts';
import { onlyValue, parseTrailers, renderTrailers } from './trailers.ts';

/** What a candidate's commit message says: numbers only, because titles and agent text can carry `[skip ci]` and closing keywords. */
export const candidateMessageSchema = z.strictObject({
  issue: issueNumberSchema,
  attempt: attemptIdSchema,
  base: oidSchema,
});
export type CandidateMessage = z.infer<typeof candidateMessageSchema>;

/** The message of a candidate commit. The same input gives the same bytes. */
export function renderCandidateMessage({ issue, attempt, base }: CandidateMessage): string {
  return renderTrailers(`ccd: task ${issue}, attempt ${attempt}`, [
    ['Ccd-Task', String(issue)],
    ['Ccd-Attempt', attempt],
    ['Ccd-Base', base],
  ]);
}

/** Null for every message that `renderCandidateMessage` could not have written. */
export function parseCandidateMessage(message: string): CandidateMessage | null {
  const parsed = parseTrailers(message);
  if (parsed === null) return null;
  const read = candidateMessageSchema.safeParse({
    issue: Number(onlyValue(parsed.trailers, 'Ccd-Task') ?? Number.NaN),
    attempt: onlyValue(parsed.trailers, 'Ccd-Attempt'),
    base: onlyValue(parsed.trailers, 'Ccd-Base'),
  });
  return read.success && renderCandidateMessage(read.data) === message ? read.data : null;
}
