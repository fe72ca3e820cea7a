import { closeIssue } from '../issues/edit.ts';
import { closingNumbers } from '../issues/references.ts';
import { record } from '../issues/timeline.ts';
import type { PullIssue } from '../present/pull.ts';
import type { Actor } from '../principal.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';

/**
 * Marks a pull request merged and closes it; one against the default branch closes the issues that its text names
 * (GitHub documentation, "Linking a pull request to an issue": keywords count on the default branch alone).
 */
export function markPullMerged(
  store: Store,
  repo: Repo,
  actor: Actor,
  issue: PullIssue,
  base: string,
  mergeCommit: string,
): void {
  const { pull } = issue;
  if (pull.merged) return;
  pull.merged = true;
  pull.mergedAt = store.now();
  pull.mergedBy = actor.user;
  pull.mergeCommitSha = mergeCommit;
  pull.baseSha = base;
  record(store, issue, actor, 'merged', { commitId: mergeCommit });
  closeIssue(store, repo, issue, actor, { commitId: mergeCommit });
  if (pull.baseRef !== repo.defaultBranch) return;
  for (const number of closingNumbers(repo, issue.body ?? '')) {
    const target = repo.issues.get(number);
    if (target && !target.pull) closeIssue(store, repo, target, actor, { commitId: mergeCommit });
  }
}
