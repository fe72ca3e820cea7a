import type { ObservedIssue } from '../domain/snapshot.ts';
import type { Phase, TaskState } from '../domain/state.ts';
import { leaveQueue } from '../landing/membership.ts';
import { dispatchLabel } from '../text/labels.ts';
import { because, type Draft, tasksInOrder } from './draft.ts';
import { stopAttempt } from './stop-attempt.ts';

const started: ReadonlySet<Phase> = new Set([
  'running',
  'reported',
  'guarding',
  'reviewing',
  'queued',
  'interrupted',
]);
/** What a person with write access has to look at; all else is taken back by whoever did it. */
const holding: ReadonlySet<string> = new Set(['pull-closed', 'spec-invalid']);
const unstarted: ReadonlySet<Phase> = new Set(['waiting', 'ready']);

/**
 * What people take back. Removing the label or closing the issue withdraws before the claim and cancels after it; an
 * edit of title or body voids what was pinned; closing the pull request holds the task.
 */
export function withdraw(draft: Draft): void {
  for (const task of tasksInOrder(draft)) {
    if (!(started.has(task.phase) || unstarted.has(task.phase))) continue;
    const issue = draft.snapshot.issues.get(task.issue);
    // Every active task's issue is read in each pass: one that is not there was deleted or moved away.
    const code = issue === undefined ? 'issue-gone' : takenBack(draft, task, issue);
    if (code !== null) end(draft, task, holding.has(code) ? 'held' : 'withdrawn', code);
  }
}

function takenBack(draft: Draft, task: TaskState, issue: ObservedIssue): string | null {
  if (!issue.open) return 'issue-closed';
  if (!issue.labels.includes(dispatchLabel) && !goesOnByWaiver(draft, task)) return 'label-removed';
  if (task.bodyDigest !== null && issue.bodyDigest !== task.bodyDigest) return 'spec-edited';
  const pull = task.pull === null ? undefined : draft.snapshot.pulls.get(task.pull.number);
  if (!started.has(task.phase)) return null;
  if (pull !== undefined && !pull.open && !pull.merged) return 'pull-closed';
  // Trunk's policy may have changed under a task that was valid when it was claimed.
  return draft.readSpec(issue).kind === 'invalid' ? 'spec-invalid' : null;
}

/** A waiver takes up a task again whose label was used up when it came to rest: no label is needed until a person sets one. */
function goesOnByWaiver(draft: Draft, task: TaskState): boolean {
  const asked = task.request;
  return (
    asked !== null &&
    draft.repository.waivers.some(
      (waiver) => waiver.issue === task.issue && Date.parse(waiver.at) >= Date.parse(asked.at),
    )
  );
}

/** Ends a task's work by a person's will: its attempt is told to stop, its place in the queue is given up. */
export function end(draft: Draft, task: TaskState, phase: 'withdrawn' | 'held', code: string): void {
  stopAttempt(draft, task, code);
  draft.queue = leaveQueue(draft.queue, task.issue);
  task.phase = phase;
  task.reason = because(code);
  task.settled = false;
}
