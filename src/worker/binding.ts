import type { AttemptId } from '../domain/attempt.ts';
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

/** An attempt that is over, and the run that it had. */
export interface Predecessor {
  readonly attempt: AttemptId;
  readonly runId: DatabaseId | null;
}

/** `not-yet`: state has not bound a run to the attempt. `never`: this run will not be it, or not any more. */
export type Binding =
  | {
      readonly kind: 'bound';
      readonly contract: SpawnContract;
      /** The attempt at this task before this one. */
      readonly predecessor: Predecessor | null;
    }
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
  return { kind: 'bound', contract: attempt.contract, predecessor: lastOf(task, attempt.id) };
}

function lastOf(task: TaskState, own: AttemptId): Predecessor | null {
  const last = task.records.filter(({ attempt }) => attempt !== own).at(-1);
  return last === undefined ? null : { attempt: last.attempt, runId: last.runId };
}

function never(reason: string, cause: StopCause): Binding {
  return { kind: 'never', reason, cause };
}
