import { zeroOid } from '../domain/ids.ts';
import type { TaskState } from '../domain/state.ts';
import { type Draft, tasksInOrder, wakeAt } from './draft.ts';

/** How long GitHub is given to mark a landed pull request as merged before it is closed with a link. */
const mergedDeadlineMs = 10 * 60_000;

/**
 * What follows a proven landing: the pull request is seen merged (or closed after a deadline), the issue is closed explicitly,
 * the task's branches are deleted.
 */
export function closing(draft: Draft): void {
  for (const task of tasksInOrder(draft)) {
    if (task.phase === 'landed' && task.landed !== null && !task.settled)
      closeLanded(draft, task, Date.parse(task.landed.at));
  }
}

function closeLanded(draft: Draft, task: TaskState, landedAt: number): void {
  const issue = draft.snapshot.issues.get(task.issue);
  if (issue?.open === true) draft.effects.push({ kind: 'close-issue', issue: task.issue, as: 'completed' });
  if (!pullIsDone(draft, task, landedAt)) return;
  const moves = refsOf(draft, task.issue);
  if (moves.length > 0) draft.computations.push({ kind: 'move-refs', moves });
}

function pullIsDone(draft: Draft, task: TaskState, landedAt: number): boolean {
  const pull = task.pull === null ? undefined : draft.snapshot.pulls.get(task.pull.number);
  if (task.pull === null) return true;
  if (pull === undefined) return false;
  if (pull.merged || !pull.open) return true;
  const deadline = landedAt + mergedDeadlineMs;
  if (draft.snapshot.now >= deadline)
    draft.effects.push({ kind: 'close-pull', issue: task.issue, pull: pull.number });
  else wakeAt(draft, deadline);
  return false;
}

/** Deletions of every ref that we made for one task. */
export function refsOf(draft: Draft, issue: number): { ref: string; expected: string; next: string }[] {
  const own = new RegExp(
    `^refs/(heads/ccd/task/${issue}|heads/ccd/attempt/${issue}\\..+|ccd/refused/${issue}\\..+)$`,
  );
  return [...draft.snapshot.refs]
    .filter(([ref]) => own.test(ref))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([ref, oid]) => ({ ref, expected: oid, next: zeroOid }));
}
