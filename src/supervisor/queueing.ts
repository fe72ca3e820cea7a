import { joinQueue, leaveQueue } from '../landing/membership.ts';
import { handBackAnswer, owe } from './answers.ts';
import { because, type Draft, instant, tasksInOrder } from './draft.ts';

/** Puts tasks whose candidate was proven into the queue, as often as policy allows, and takes out those that left the phase. */
export function queueing(draft: Draft): void {
  dropStalePulls(draft);
  for (const task of tasksInOrder(draft)) {
    if (task.phase !== 'queued' || task.candidate === null) continue;
    const pull = task.pull === null ? undefined : draft.snapshot.pulls.get(task.pull.number);
    if (pull === undefined || pull.head !== task.candidate.oid) {
      if (task.pull !== null) task.reason = because('pull-behind', task.pull.number);
      continue;
    }
    if (
      draft.queue.members.some(
        (member) => member.number === task.issue && member.candidate === task.candidate?.oid,
      )
    )
      continue;
    if (draft.queue.build?.members.some((member) => member.number === task.issue)) continue;
    if (task.spent.queueEntries >= draft.policy.caps.queue_entries) {
      task.phase = 'held';
      task.reason = because('queue-entries-used-up', task.spent.queueEntries);
      continue;
    }
    task.reason = null;
    task.spent.queueEntries += 1;
    draft.queue = joinQueue(draft.queue, {
      kind: 'task',
      number: task.issue,
      pull: pull.number,
      candidate: task.candidate.oid,
      keyDigest: task.verdict?.keyDigest ?? null,
      queuedAt: instant(draft.snapshot.now),
      requestedBy: null,
    });
  }
}

/** A person queued one commit: when the pull request is closed or shows another one, nothing of it is left to land. */
function dropStalePulls(draft: Draft): void {
  for (const member of draft.queue.members.filter(({ kind }) => kind === 'pull')) {
    const pull = draft.snapshot.pulls.get(member.number);
    if (pull === undefined || (pull.open && pull.head === member.candidate)) continue;
    draft.queue = leaveQueue(draft.queue, member.number);
    if (!pull.merged) owe(draft, handBackAnswer(member, pull.open ? 'head-moved' : 'pull-closed', null));
  }
}
