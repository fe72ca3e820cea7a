import type { SpawnContract } from '../domain/contract.ts';
import { type Digest, digestValue } from '../domain/digest.ts';
import type { DatabaseId } from '../domain/ids.ts';
import type { RepositoryState, TaskState } from '../domain/state.ts';
import type { StopCause } from './claude/outcome.ts';

/** Who asks: the attempt and contract it was dispatched with, and the run it is. */
export interface Claimant {
  readonly attempt: string;
  readonly contractDigest: Digest;
  readonly runId: DatabaseId;
}

/** `not-yet`: state has not bound a run to the attempt. `never`: this run will not be it, or not any more. */
export type Binding =
  | { readonly kind: 'bound'; readonly contract: SpawnContract }
  | { readonly kind: 'not-yet' }
  | { readonly kind: 'never'; readonly reason: string; readonly cause: StopCause };

/**
 * Whether this run may work: only when the state branch binds exactly this run to exactly this contract at the task's
 * current generation, and nobody stopped, paused or froze it. Null stands for a file that is not there.
 */
export function judgeBinding(
  task: TaskState | null,
  repository: RepositoryState | null,
  claimant: Claimant,
): Binding {
  if (task === null || repository === null) return never('task-unknown', 'superseded');
  const attempt = task.attempt;
  if (attempt === null || attempt.id !== claimant.attempt || attempt.generation !== task.generation) {
    return never('generation-over', 'superseded');
  }
  const digest = digestValue(attempt.contract);
  if (attempt.contractDigest !== claimant.contractDigest || digest !== claimant.contractDigest) {
    return never('contract-differs', 'superseded');
  }
  if (attempt.stop !== null) return never('stopped', 'cancelled');
  if (repository.pause !== null) return never('paused', 'paused');
  if (repository.frozen) return never('frozen', 'frozen');
  if (attempt.runId === null) return { kind: 'not-yet' };
  if (attempt.runId !== claimant.runId) return never('other-run-bound', 'superseded');
  if (task.phase !== 'running') return never('not-running', 'superseded');
  return { kind: 'bound', contract: attempt.contract };
}

function never(reason: string, cause: StopCause): Binding {
  return { kind: 'never', reason, cause };
}
