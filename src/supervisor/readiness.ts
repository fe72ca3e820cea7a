import type { TaskState } from '../domain/state.ts';
import { because, type Draft, tasksInOrder, wakeAt } from './draft.ts';
import { findCycleMembers } from './graph/cycles.ts';
import { usageLimitEnd } from './usage-limit.ts';

/** Moves waiting tasks to ready when nothing holds them; otherwise says what does. */
export function readiness(draft: Draft): void {
  const waiting = tasksInOrder(draft).filter((task) => task.phase === 'waiting' && task.request !== null);
  const edges = new Map(
    tasksInOrder(draft)
      .filter((task) => task.phase !== 'landed')
      .map((task) => [task.issue, task.dependsOn]),
  );
  const cyclic = findCycleMembers(edges);
  for (const task of waiting) {
    if (task.reason?.code === 'needs-confirmation' || isLimited(draft, task)) continue;
    refreshDependencies(draft, task);
    const hindrance = cyclic.has(task.issue)
      ? because('dependency-cycle', task.issue)
      : unmetDependency(draft, task);
    task.reason = hindrance;
    if (hindrance === null) task.phase = 'ready';
  }
}

/** Its last attempt met a usage limit of the model that has not ended. */
function isLimited(draft: Draft, task: TaskState): boolean {
  const end = task.reason?.code === 'usage-limit' ? usageLimitEnd(task) : null;
  if (end === null || end <= draft.snapshot.now) return false;
  wakeAt(draft, end);
  return true;
}

/** GitHub's edges may change at any time without an event that we could rely on: they are read again while a task waits. */
function refreshDependencies(draft: Draft, task: TaskState): void {
  const issue = draft.snapshot.issues.get(task.issue);
  if (issue === undefined || issue.blockedBy === null) return;
  const read = draft.readSpec(issue);
  if (read.kind !== 'valid') return;
  task.dependsOn = [...new Set([...read.spec.dependsOn, ...issue.blockedBy])].sort((a, b) => a - b);
}

/** A dependency is met when its landing is proven, or, for an issue that is no task of ours, when people closed it as completed. */
function unmetDependency(draft: Draft, task: TaskState): ReturnType<typeof because> | null {
  for (const number of task.dependsOn) {
    const other = draft.tasks.get(number);
    if (other !== undefined) {
      if (other.phase === 'landed') continue;
      if (other.phase === 'withdrawn') return because('predecessor-withdrawn', number);
      return because(other.phase === 'halted' ? 'predecessor-halted' : 'waits-for-task', number);
    }
    const issue = draft.snapshot.issues.get(number);
    if (issue === undefined) return because('dependency-unknown', number);
    if (issue.open) return because('waits-for-issue', number);
    if (issue.stateReason === 'not_planned') return because('predecessor-abandoned', number);
  }
  return null;
}
