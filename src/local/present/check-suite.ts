import { latestRuns, runsOfSuite } from '../checks/check-index.ts';
import { logCommits } from '../git/commit-log.ts';
import type { CheckSuite } from '../records/check.ts';
import type { Repo } from '../records/repository.ts';
import type { Urls } from '../urls.ts';
import { presentSuiteSimple } from './check.ts';
import { presentMinimalRepository } from './repository.ts';

/** `check-suite` of GitHub's description, with its commit as git has it. */
export async function presentSuite(urls: Urls, repo: Repo, suite: CheckSuite) {
  const [commit] = await logCommits(repo.git, [suite.headSha], {}, 1);
  const base = presentSuiteSimple(urls, repo, suite);
  return {
    ...base,
    repository: presentMinimalRepository(urls, repo),
    head_commit: {
      id: suite.headSha,
      tree_id: commit!.tree,
      message: commit!.message,
      timestamp: commit!.committer.date,
      author: { name: commit!.author.name, email: commit!.author.email },
      committer: { name: commit!.committer.name, email: commit!.committer.email },
    },
    latest_check_runs_count: latestRuns(runsOfSuite(repo, suite)).length,
    check_runs_url: `${base.url}/check-runs`,
    rerequestable: true,
    runs_rerequestable: true,
  };
}
