import type { Oid } from '../../domain/ids.ts';

export interface CheckAnnotation {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly annotation_level: 'notice' | 'warning' | 'failure';
  readonly title?: string;
  readonly message: string;
}

export type CheckConclusion =
  | 'success'
  | 'failure'
  | 'neutral'
  | 'cancelled'
  | 'action_required'
  | 'timed_out';

/** A check run as the app wants it to stand. `conclusion` null: still going on. */
export interface CheckContent {
  readonly conclusion: CheckConclusion | null;
  /** Text of ours by which the check is found again, and compared with state. */
  readonly externalId: string;
  readonly title: string;
  /** Markdown; GitHub takes 65 535 characters of each. */
  readonly summary: string;
  readonly text?: string;
  readonly annotations?: readonly CheckAnnotation[];
  readonly detailsUrl?: string;
}

export interface NewCheck extends CheckContent {
  readonly name: string;
  readonly commit: Oid;
}

/** GitHub takes 50 annotations in one request and appends those of the next. */
const annotationsPerRequest = 50;

/**
 * The bodies of the requests that write a check. Only the last one concludes and names what is shown: a check whose writing broke off
 * stands as going on, never as judged with half of its findings, and is not taken for one that was written.
 */
export function checkBodies(check: CheckContent): Record<string, unknown>[] {
  const annotations = check.annotations ?? [];
  const count = Math.max(1, Math.ceil(annotations.length / annotationsPerRequest));
  return Array.from({ length: count }, (_, index) => {
    const start = index * annotationsPerRequest;
    const page = annotations.slice(start, start + annotationsPerRequest);
    return { ...standing(check, index === count - 1), output: output(check, page) };
  });
}

function standing(check: CheckContent, last: boolean): Record<string, unknown> {
  const details = check.detailsUrl === undefined ? {} : { details_url: check.detailsUrl };
  if (!last) return { ...details, status: 'in_progress' };
  const named = { ...details, external_id: check.externalId };
  if (check.conclusion === null) return { ...named, status: 'in_progress' };
  return { ...named, status: 'completed', conclusion: check.conclusion };
}

function output(check: CheckContent, annotations: readonly CheckAnnotation[]): Record<string, unknown> {
  return {
    title: check.title,
    summary: check.summary,
    ...(check.text === undefined ? {} : { text: check.text }),
    ...(annotations.length === 0 ? {} : { annotations }),
  };
}
