import type { Show, ShowInRepo } from './page.ts';
import { showAccount, showApp, showInstallation } from './views/account.ts';
import { showActions } from './views/actions.ts';
import { showArtifact } from './views/artifact.ts';
import { showBlob, showRaw } from './views/blob.ts';
import { showBranches } from './views/branches.ts';
import { showCheckRun } from './views/check-run.ts';
import { showCommit } from './views/commit.ts';
import { showCommits, showDefaultCommits } from './views/commits.ts';
import { showCompare } from './views/compare.ts';
import { showIssue } from './views/issue.ts';
import { showIssues, showPulls } from './views/issues.ts';
import { showPatch, showPull } from './views/pull.ts';
import { showPullCommits, showPullFiles } from './views/pull-files.ts';
import { showRepositories } from './views/repositories.ts';
import { showRepository } from './views/repository.ts';
import { showRules } from './views/rules.ts';
import { showRun } from './views/run.ts';
import { showTree } from './views/tree.ts';

/** Addresses of pages, as GitHub has them. `{rest}` may hold slashes. The first that fits is taken. */
export const PLAIN_PAGES: readonly (readonly [string, Show])[] = [
  ['/', showRepositories],
  ['/apps/{slug}', showApp],
  ['/settings/installations/{id}', showInstallation],
  ['/{login}', showAccount],
];

/** Pages below `/{owner}/{repo}`. */
export const REPO_PAGES: readonly (readonly [string, ShowInRepo])[] = [
  ['', showRepository],
  ['/issues', showIssues],
  ['/issues/{number}', showIssue],
  ['/pulls', showPulls],
  ['/pull/{number}.{format}', showPatch],
  ['/pull/{number}', showPull],
  ['/pull/{number}/files', showPullFiles],
  ['/pull/{number}/commits', showPullCommits],
  ['/commits', showDefaultCommits],
  ['/commits/{rest}', showCommits],
  ['/commit/{sha}', showCommit],
  ['/compare/{rest}', showCompare],
  ['/tree/{rest}', showTree],
  ['/blob/{rest}', showBlob],
  ['/raw/{rest}', showRaw],
  ['/branches', showBranches],
  ['/settings/rules', showRules],
  ['/rules', showRules],
  ['/rules/{id}', showRules],
  ['/runs/{id}', showCheckRun],
  ['/actions', showActions],
  ['/actions/runs/{id}', showRun],
  ['/actions/runs/{id}/attempts/{attempt}', showRun],
  ['/actions/runs/{id}/job/{job}', showRun],
  ['/actions/runs/{id}/artifacts/{artifact}', showArtifact],
];
