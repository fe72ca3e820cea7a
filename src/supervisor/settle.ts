import type { Phase, TaskState } from '../domain/state.ts';
import { refsOf } from './closing.ts';
import { type Draft, tasksInOrder } from './draft.ts';
import { intentKeys, isHopeless } from './intend.ts';

const resting: ReadonlySet<Phase> = new Set([
  'landed',
  'halted',
  'invalid',
  'withdrawn',
  'held',
  'superseded',
]);

/**
 * Lets tasks leave the active index once nothing is wanted for them: no command in this pass, no intent with hope, no living run,
 * and for landed ones no ref and no open issue.
 */
export function settle(draft: Draft): void {
  const busy = new Set<number>();
  for (const command of [...draft.computations, ...draft.effects]) {
    if ('issue' in command) busy.add(command.issue);
  }
  for (const key of draft.wanted) {
    const issue = /^(?:comment|pull|check)\.(\d+)(?:\.|$)/.exec(key)?.[1];
    if (issue !== undefined && !isHopeless(draft, key)) busy.add(Number(issue));
  }
  for (const task of tasksInOrder(draft)) {
    if (!resting.has(task.phase) || busy.has(task.issue)) continue;
    if (lacksComment(draft, task)) continue;
    if (task.attempt !== null && task.attempt.runId !== null && !task.attempt.ended) continue;
    if (task.phase === 'landed' && !landedIsClean(draft, task.issue)) continue;
    task.settled = true;
  }
}

/** On a locked issue GitHub takes no comment of an app: a task does not stay active for what will never stand. */
function lacksComment(draft: Draft, task: TaskState): boolean {
  const hopeless = isHopeless(draft, intentKeys.statusComment(task.issue));
  return task.statusComment === null && draft.snapshot.issues.has(task.issue) && !hopeless;
}

function landedIsClean(draft: Draft, issue: number): boolean {
  return draft.snapshot.issues.get(issue)?.open !== true && refsOf(draft, issue).length === 0;
}
