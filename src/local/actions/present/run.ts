import { iso } from '../../iso.ts';
import { presentPullMinimal, pullsWithHead } from '../../present/pull.ts';
import { presentMinimalRepository } from '../../present/repository.ts';
import { presentUser } from '../../present/user.ts';
import type { Urls } from '../../urls.ts';
import type { RunRecord } from '../runs/records.ts';

function presentHeadCommit(run: RunRecord) {
  const { id, treeId, message, timestamp, author, committer } = run.cause.headCommit;
  return { id, tree_id: treeId, message, timestamp: iso(Date.parse(timestamp)), author, committer };
}

/** What differs from attempt to attempt. */
function attemptOf(run: RunRecord, wanted: number) {
  const past = run.past.find((one) => one.attempt === wanted);
  return past === undefined ? run : { ...past, status: 'completed' };
}

/** `workflow-run` of GitHub's description: as it stands now, or an earlier attempt of it. */
export function presentRun(urls: Urls, run: RunRecord, wanted = run.attempt) {
  const { repo, cause, checkSuite } = run;
  const { attempt, status, conclusion, triggeringActor, startedAt, updatedAt } = attemptOf(run, wanted);
  const api = urls.repoApi(repo);
  const url = `${api}/actions/runs/${run.id}`;
  const repository = presentMinimalRepository(urls, repo);
  return {
    id: run.id,
    name: run.workflow.name,
    node_id: run.nodeId,
    check_suite_id: checkSuite?.id ?? 0,
    check_suite_node_id: checkSuite?.nodeId ?? '',
    head_branch: cause.headBranch,
    head_sha: cause.headSha,
    path: run.workflow.path,
    display_title: run.displayTitle,
    run_number: run.runNumber,
    run_attempt: attempt,
    referenced_workflows: [],
    event: cause.event,
    status,
    conclusion,
    workflow_id: run.workflow.id,
    url,
    html_url: `${urls.repoHtml(repo)}/actions/runs/${run.id}`,
    pull_requests: pullsWithHead(repo, cause.headSha).map((pull) => presentPullMinimal(urls, repo, pull)),
    created_at: iso(run.createdAt),
    updated_at: iso(updatedAt),
    actor: presentUser(urls, run.actor.user),
    triggering_actor: presentUser(urls, triggeringActor),
    run_started_at: iso(startedAt),
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${api}/check-suites/${checkSuite?.id ?? 0}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: attempt > 1 ? `${url}/attempts/${attempt - 1}` : null,
    workflow_url: `${api}/actions/workflows/${run.workflow.id}`,
    head_commit: presentHeadCommit(run),
    repository,
    head_repository: repository,
    head_repository_id: repo.id,
  };
}
