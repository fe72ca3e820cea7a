import type { Approvals } from './approvals.ts';
import { currentJobs, type RunRecord } from './records.ts';

/** What a run that is neither pending nor over is: `waiting` when nothing of it can go on before a reviewer has spoken. */
export function openStatus(run: RunRecord, approvals: Approvals, began: boolean): RunRecord['status'] {
  const left = currentJobs(run).filter((job) => job.status !== 'completed');
  if (left.length > 0 && left.every((job) => approvals.has(job))) return 'waiting';
  return began ? 'in_progress' : 'queued';
}
