import { joinQueue } from '../landing/membership.ts';
import { because, type Draft, instant, tasksInOrder } from './draft.ts';

/** Puts tasks whose candidate was proven into the queue, as often as policy allows, and takes out those that left the phase. */
export function queueing(draft: Draft): void {
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
