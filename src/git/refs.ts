import { type AttemptId, attemptIdSchema, formatAttemptId } from '../domain/attempt.ts';
import { CcdError } from '../domain/errors.ts';
import type { Generation, IssueNumber } from '../domain/ids.ts';

/** Full name of a ref, `refs/…`. */
export type RefName = string;

/** Exact machine state: an orphan branch of JSON files that only the app moves. */
export const stateRef: RefName = 'refs/heads/ccd/state';
/** Orphan commits that hold trunk's worker workflows and nothing else; workers are dispatched on it. */
export const runRef: RefName = 'refs/heads/ccd/run';
/** The same for the guard's facts job. */
export const factsRef: RefName = 'refs/heads/ccd/facts';

export function branchRef(branch: string): RefName {
  return `refs/heads/${branch}`;
}

/** Short name of a branch ref, or null when the ref is no branch. */
export function branchOfRef(ref: RefName): string | null {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
}

/** The candidate of a task, written by the app alone. */
export function taskRef(issue: IssueNumber): RefName {
  return `refs/heads/ccd/task/${positive(issue)}`;
}

/** What one attempt published, kept until its task ends. */
export function attemptRef(attempt: AttemptId): RefName {
  return `refs/heads/ccd/attempt/${attemptIdSchema.parse(attempt)}`;
}

/** A build of the merge queue. */
export function queueRef(build: number): RefName {
  return `refs/heads/ccd/queue/${positive(build)}`;
}

/** A tree that must reach no branch, because a branch starts other people's pipelines. */
export function refusedRef(issue: IssueNumber, generation: Generation, count: number): RefName {
  return `refs/ccd/refused/${formatAttemptId(positive(issue), positive(generation))}.${positive(count)}`;
}

/** Issue of a task ref, or null when the ref is none. */
export function issueOfTaskRef(ref: RefName): IssueNumber | null {
  return numberAfter(ref, 'refs/heads/ccd/task/');
}

/** Number of a queue ref, or null when the ref is none. */
export function buildOfQueueRef(ref: RefName): number | null {
  return numberAfter(ref, 'refs/heads/ccd/queue/');
}

/** Attempt of an attempt ref, or null when the ref is none. */
export function attemptOfAttemptRef(ref: RefName): AttemptId | null {
  const prefix = 'refs/heads/ccd/attempt/';
  const parsed = ref.startsWith(prefix) ? attemptIdSchema.safeParse(ref.slice(prefix.length)) : null;
  return parsed?.success ? parsed.data : null;
}

/** What a ref name must look like before it is handed to git: stricter than git itself, no blanks, no glob, no `..`. */
export function isRefName(ref: string): boolean {
  return (
    /^refs\/[A-Za-z0-9_][A-Za-z0-9._+@-]*(\/[A-Za-z0-9_@+-][A-Za-z0-9._@+-]*)+$/.test(ref) &&
    !/\.\.|@\{|\.lock(\/|$)|\.(\/|$)/.test(ref)
  );
}

function numberAfter(ref: RefName, prefix: string): number | null {
  const match = ref.startsWith(prefix) ? /^[1-9]\d{0,14}$/.exec(ref.slice(prefix.length)) : null;
  return match === null ? null : Number(match[0]);
}

function positive(value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new CcdError({
    code: 'git.ref-number',
    message: `A ref name needs a whole number from 1, not ${value}.`,
    remedy: 'Report this with the log of the run.',
    audience: 'bug',
  });
}
