import { checkRunsOn, statusesOn } from '../checks/check-index.ts';
import type { Repo } from '../records/repository.ts';

export type CheckState = 'success' | 'failing' | 'in progress' | 'missing';

const GOOD = new Set(['success', 'neutral', 'skipped']);

/** State of a required check on one commit: its newest check run (of the pinned app, if any), else its newest status. */
export function checkState(repo: Repo, sha: string, context: string, appId: number | null): CheckState {
  const run = checkRunsOn(repo, sha).findLast(
    (one) => one.name === context && (appId === null || one.app.id === appId),
  );
  if (run) {
    if (run.status !== 'completed') return 'in progress';
    return GOOD.has(run.conclusion ?? '') ? 'success' : 'failing';
  }
  if (appId !== null) return 'missing';
  const status = statusesOn(repo, sha).findLast((one) => one.context === context);
  if (!status) return 'missing';
  if (status.state === 'pending') return 'in progress';
  return status.state === 'success' ? 'success' : 'failing';
}
