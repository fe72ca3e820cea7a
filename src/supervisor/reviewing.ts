import type { ObservedPull, ObservedReview } from '../domain/snapshot.ts';
import type { TaskState } from '../domain/state.ts';
import { because, type Draft, tasksInOrder } from './draft.ts';
import { regenerate } from './regenerate.ts';

/**
 * Reads people's reviews of candidates that need one. Only a review of exactly the candidate's commit by somebody with
 * write access counts; of one person's reviews the last one does.
 */
export function reviewing(draft: Draft): void {
  for (const task of tasksInOrder(draft)) {
    if (task.phase !== 'reviewing' || task.pull === null || task.candidate === null) continue;
    const pull = draft.snapshot.pulls.get(task.pull.number);
    if (pull !== undefined) actOnReviews(draft, task, pull);
  }
}

function actOnReviews(draft: Draft, task: TaskState, pull: ObservedPull): void {
  const words = lastWords(pull.reviews.filter((review) => review.commit === task.candidate?.oid));
  if (words.some((review) => review.state === 'changes_requested')) {
    return regenerate(draft, task, because('changes-requested', pull.number));
  }
  if (words.some((review) => review.state === 'approved')) {
    task.phase = 'queued';
    task.reason = null;
  }
}

function lastWords(reviews: readonly ObservedReview[]): ObservedReview[] {
  const byActor = new Map<number, ObservedReview>();
  for (const review of reviews) {
    if (review.actor.mayWrite !== true || review.state === 'commented') continue;
    byActor.set(review.actor.id, review);
  }
  return [...byActor.values()];
}
