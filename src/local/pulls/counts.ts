import { diffFiles } from '../git/diff.ts';
import type { PullCounts, PullIssue } from '../present/pull.ts';
import type { Repo } from '../records/repository.ts';

/** Commit from which a pull request's change is counted. */
export async function mergeBaseOf(repo: Repo, issue: PullIssue): Promise<string> {
  const run = await repo.git.run(['merge-base', issue.pull.baseSha, issue.pull.headSha]);
  return run.stdout.toString('utf8').trim() || issue.pull.baseSha;
}

export async function countsOf(repo: Repo, issue: PullIssue): Promise<PullCounts> {
  const base = await mergeBaseOf(repo, issue);
  const [files, commits] = await Promise.all([
    diffFiles(repo.git, base, issue.pull.headSha),
    repo.git.run(['rev-list', '--count', `${base}..${issue.pull.headSha}`]),
  ]);
  return {
    commits: Number(commits.stdout.toString('utf8')),
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    changed_files: files.length,
  };
}
