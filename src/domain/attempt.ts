import { z } from 'zod';
import type { Generation, IssueNumber } from './ids.ts';

/** `12.3`; `12.3.b` is branch b of a fork; `12.3.r1` is review round 1. */
export const attemptIdSchema = z
  .string()
  .regex(/^[1-9]\d*\.[1-9]\d*(\.([a-z]|r[1-9]\d*))?$/, 'not an attempt id');
export type AttemptId = z.infer<typeof attemptIdSchema>;

export const attemptClassSchema = z.enum(['observational', 'mutable', 'durable']);
export type AttemptClass = z.infer<typeof attemptClassSchema>;

export const profileSchema = z.enum(['mechanical', 'localized', 'cross-boundary', 'judgment-heavy']);
export type Profile = z.infer<typeof profileSchema>;

export function formatAttemptId(issue: IssueNumber, generation: Generation, suffix?: string): AttemptId {
  return suffix === undefined ? `${issue}.${generation}` : `${issue}.${generation}.${suffix}`;
}

export interface ParsedAttemptId {
  readonly issue: IssueNumber;
  readonly generation: Generation;
  readonly suffix: string | null;
}

/** More generations than any task can have: a ref of somebody's making must not drive the numbers out of bounds. */
const mostGeneration = 1_000_000;

/** Parts of an attempt id, or null when the text is none. */
export function parseAttemptId(text: string): ParsedAttemptId | null {
  if (!attemptIdSchema.safeParse(text).success) return null;
  const [issue, generation, suffix] = text.split('.');
  const parsed = { issue: Number(issue), generation: Number(generation), suffix: suffix ?? null };
  return Number.isSafeInteger(parsed.issue) && parsed.generation <= mostGeneration ? parsed : null;
}
