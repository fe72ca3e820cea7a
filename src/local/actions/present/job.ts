import { iso, isoOrNull } from '../../iso.ts';
import type { Urls } from '../../urls.ts';
import type { JobRecord } from '../runs/records.ts';

/** `job` of GitHub's description. */
export function presentJob(urls: Urls, job: JobRecord) {
  const { run } = job;
  const api = urls.repoApi(run.repo);
  return {
    id: job.id,
    run_id: run.id,
    workflow_name: run.workflow.name,
    head_branch: run.cause.headBranch,
    run_url: `${api}/actions/runs/${run.id}`,
    run_attempt: job.attempt,
    node_id: job.nodeId,
    head_sha: run.cause.headSha,
    url: `${api}/actions/jobs/${job.id}`,
    html_url: `${urls.repoHtml(run.repo)}/actions/runs/${run.id}/job/${job.id}`,
    status: job.status,
    conclusion: job.conclusion,
    created_at: iso(job.createdAt),
    started_at: iso(job.startedAt ?? job.createdAt),
    completed_at: isoOrNull(job.completedAt),
    name: job.name,
    steps: job.steps.map((step) => ({
      name: step.name,
      status: step.status,
      conclusion: step.conclusion,
      number: step.number,
      started_at: isoOrNull(step.startedAt),
      completed_at: isoOrNull(step.completedAt),
    })),
    check_run_url: `${api}/check-runs/${job.checkRun?.id ?? job.id}`,
    labels: job.labels,
    runner_id: job.runnerId,
    runner_name: job.runnerName,
    runner_group_id: job.runnerId === null ? null : 1,
    runner_group_name: job.runnerId === null ? null : 'Default',
  };
}
