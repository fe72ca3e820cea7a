import { latestRuns, runsOfSuite } from '../checks/check-index.ts';
import { iso, isoOrNull } from '../iso.ts';
import type { CheckRun, CheckSuite } from '../records/check.ts';
import type { Repo } from '../records/repository.ts';
import type { Urls } from '../urls.ts';
import { presentApp } from './app.ts';
import { presentPullMinimal, pullsWithHead } from './pull.ts';

/** `check-run` of GitHub's description. */
export function presentCheckRun(urls: Urls, repo: Repo, run: CheckRun) {
  const api = `${urls.repoApi(repo)}/check-runs/${run.id}`;
  const html = `${urls.repoHtml(repo)}/runs/${run.id}`;
  return {
    id: run.id,
    name: run.name,
    node_id: run.nodeId,
    head_sha: run.headSha,
    external_id: run.externalId,
    url: api,
    html_url: html,
    details_url: run.detailsUrl ?? html,
    status: run.status,
    conclusion: run.conclusion,
    started_at: isoOrNull(run.startedAt),
    completed_at: isoOrNull(run.completedAt),
    output: {
      ...run.output,
      annotations_count: run.annotations.length,
      annotations_url: `${api}/annotations`,
    },
    check_suite: { id: run.suite.id },
    app: presentApp(urls, run.app),
    pull_requests: pullsWithHead(repo, run.headSha).map((pull) => presentPullMinimal(urls, repo, pull)),
  };
}

/** Status and conclusion of a suite, folded from the newest run of each name as GitHub does: worst wins once all are completed. */
function suiteState(repo: Repo, suite: CheckSuite): { status: string; conclusion: string | null } {
  const runs = latestRuns(runsOfSuite(repo, suite));
  if (runs.length === 0) return { status: 'queued', conclusion: null };
  if (runs.some((run) => run.status !== 'completed')) {
    const started = runs.some((run) => run.status !== 'queued');
    return { status: started ? 'in_progress' : 'queued', conclusion: null };
  }
  const order = [
    'action_required',
    'timed_out',
    'cancelled',
    'failure',
    'startup_failure',
    'stale',
    'success',
    'neutral',
    'skipped',
  ];
  const conclusions = runs.map((run) => run.conclusion ?? 'neutral');
  return { status: 'completed', conclusion: order.find((one) => conclusions.includes(one)) ?? 'neutral' };
}

/** The suite as check-run webhooks carry it (`simple-check-suite`). */
export function presentSuiteSimple(urls: Urls, repo: Repo, suite: CheckSuite) {
  return {
    id: suite.id,
    node_id: suite.nodeId,
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    ...suiteState(repo, suite),
    url: `${urls.repoApi(repo)}/check-suites/${suite.id}`,
    before: null,
    after: suite.headSha,
    pull_requests: pullsWithHead(repo, suite.headSha).map((pull) => presentPullMinimal(urls, repo, pull)),
    app: presentApp(urls, suite.app),
    created_at: iso(suite.createdAt),
    updated_at: iso(suite.updatedAt),
  };
}
