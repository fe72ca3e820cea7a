import type { Reason, TaskState } from '../domain/state.ts';
import type { Draft } from './draft.ts';

/**
 * Gives the task to a next generation, or halts it when the caps are used up. The refused candidate's change is carried
 * over, so that the next worker goes on from it and not from nothing.
 */
export function regenerate(draft: Draft, task: TaskState, reason: Reason): void {
  task.carry =
    task.candidate === null ? task.carry : { candidate: task.candidate.oid, base: task.candidate.base };
  if (task.spent.generations >= draft.policy.caps.generations) {
    task.phase = 'halted';
    task.reason = { code: `generations-used-up.${reason.code}`.slice(0, 80), of: reason.of };
    return;
  }
  task.phase = 'ready';
  task.reason = reason;
}
