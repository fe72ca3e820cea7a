import { countBetween, mergeBase } from '../git/ancestry.ts';
import { changedLines } from '../git/diff.ts';
import type { PullCounts, PullIssue } from '../present/pull.ts';
import type { Repo } from '../records/repository.ts';

/** Commit from which a pull request's change is counted. */
export async function mergeBaseOf(repo: Repo, issue: PullIssue): Promise<string> {
  return (await mergeBase(repo.git, issue.pull.baseSha, issue.pull.headSha)) ?? issue.pull.baseSha;
}

/** What was counted between two commits stays true: one pull request is read many times between two pushes. */
const counted = new WeakMap<Repo, Map<string, Promise<PullCounts>>>();
const MAX_COUNTED = 5_000;

export function countsOf(repo: Repo, issue: PullIssue): Promise<PullCounts> {
  const known = counted.get(repo) ?? new Map<string, Promise<PullCounts>>();
  counted.set(repo, known);
  const key = `${issue.pull.baseSha} ${issue.pull.headSha}`;
  const counts = known.get(key) ?? count(repo, issue);
  known.set(key, counts);
  if (known.size > MAX_COUNTED) known.delete(known.keys().next().value!);
  return counts;
}

async function count(repo: Repo, issue: PullIssue): Promise<PullCounts> {
  const base = await mergeBaseOf(repo, issue);
  const [changed, commits] = await Promise.all([
    changedLines(repo.git, base, issue.pull.headSha),
    countBetween(repo.git, base, issue.pull.headSha),
  ]);
  return {
    commits,
    additions: changed.reduce((sum, file) => sum + file.additions, 0),
    deletions: changed.reduce((sum, file) => sum + file.deletions, 0),
    changed_files: changed.length,
  };
}
