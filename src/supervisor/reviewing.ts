import type { ObservedPull } from '../domain/snapshot.ts';
import type { TaskState } from '../domain/state.ts';
import { reviewWord } from '../landing/review-word.ts';
import { because, type Draft, tasksInOrder } from './draft.ts';
import { regenerate } from './regenerate.ts';

/** Acts on people's reviews of candidates that need one. */
export function reviewing(draft: Draft): void {
  for (const task of tasksInOrder(draft)) {
    if (task.phase !== 'reviewing' || task.pull === null || task.candidate === null) continue;
    const pull = draft.snapshot.pulls.get(task.pull.number);
    if (pull !== undefined) actOnReviews(draft, task, pull, task.candidate.oid);
  }
}

function actOnReviews(draft: Draft, task: TaskState, pull: ObservedPull, candidate: string): void {
  const word = reviewWord(pull.reviews, candidate);
  if (word === 'changes-requested') return regenerate(draft, task, because(word, pull.number));
  if (word === 'approved') {
    task.phase = 'queued';
    task.reason = null;
  }
}
