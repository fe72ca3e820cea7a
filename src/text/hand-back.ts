import type { Oid } from '../domain/ids.ts';
import type { Reason } from '../domain/state.ts';
import { explainReason } from './reason-words.ts';

/** What the author of a queued pull request is told when its build did not land. */
export function renderHandBack(commit: Oid, reason: Reason): string {
  return `Not landed, and taken out of the merge queue. ${explainReason(reason, 'held').why} When that is mended: /ccd queue ${commit}`;
}
