import type { PullIssue } from '../present/pull.ts';
import type { Repo } from '../records/repository.ts';
import { mergedTree } from '../refs/merge-commits.ts';

/**
 * Mergeability as GitHub tells it: null at the first read after head or base moved, which starts the computation; a later
 * read has the answer. A merged or closed pull request stays null.
 */
export function mergeableOf(repo: Repo, issue: PullIssue): boolean | null {
  const { pull } = issue;
  if (issue.state === 'closed') return null;
  const key = `${pull.baseSha} ${pull.headSha}`;
  if (pull.mergeable?.key === key) return pull.mergeable.value;
  pull.mergeable = { key, value: null };
  void compute(repo, issue, key);
  return null;
}

async function compute(repo: Repo, issue: PullIssue, key: string): Promise<void> {
  const { pull } = issue;
  const tree = await mergedTree(repo.git, pull.baseSha, pull.headSha);
  if (pull.mergeable?.key === key) pull.mergeable = { key, value: tree !== null };
}
