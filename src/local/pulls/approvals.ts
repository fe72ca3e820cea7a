import { roleAtLeast, roleOf } from '../access.ts';
import type { PullIssue } from '../present/pull.ts';
import type { Review } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';

const DECIDING: readonly Review['state'][] = ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'];

/** How many people with write access approve a pull request: the last decision of each counts. */
export function approvalsOf(repo: Repo, issue: PullIssue): number {
  const last = new Map<number, Review>();
  for (const review of issue.pull.reviews)
    if (DECIDING.includes(review.state)) last.set(review.user.id, review);
  return [...last.values()].filter(
    (review) => review.state === 'APPROVED' && roleAtLeast(roleOf(repo, review.user.id), 'write'),
  ).length;
}
