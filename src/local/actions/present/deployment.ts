import { iso } from '../../iso.ts';
import { presentUser } from '../../present/user.ts';
import type { Urls } from '../../urls.ts';
import type { PendingApproval, Review } from '../runs/approvals.ts';
import type { Environment } from '../runs/environments.ts';
import type { JobRecord } from '../runs/records.ts';

function presentEnvironment(urls: Urls, environment: Environment) {
  const { id, nodeId, name, repo } = environment;
  return {
    id,
    node_id: nodeId,
    name,
    url: `${urls.repoApi(repo)}/environments/${encodeURIComponent(name)}`,
    html_url: `${urls.repoHtml(repo)}/deployments/activity_log?environments_filter=${encodeURIComponent(name)}`,
  };
}

/** `pending-deployment` of GitHub's description. */
export function presentPending(urls: Urls, { environment }: PendingApproval, mayApprove: boolean) {
  return {
    environment: presentEnvironment(urls, environment),
    wait_timer: 0,
    wait_timer_started_at: null,
    current_user_can_approve: mayApprove,
    reviewers: environment.reviewers.map((user) => ({ type: 'User', reviewer: presentUser(urls, user) })),
  };
}

/** `environment-approvals` of GitHub's description. */
export function presentReview(urls: Urls, { environments, state, user, comment }: Review) {
  return {
    environments: environments.map((one) => ({
      ...presentEnvironment(urls, one),
      created_at: iso(one.createdAt),
      updated_at: iso(one.createdAt),
    })),
    state,
    user: presentUser(urls, user),
    comment,
  };
}

/** `deployment` of GitHub's description: the job that a review was about. The local GitHub has no other deployments. */
export function presentReviewedDeployment(urls: Urls, job: JobRecord, now: number) {
  const { run } = job;
  const api = urls.repoApi(run.repo);
  const url = `${api}/deployments/${job.id}`;
  return {
    id: job.id,
    node_id: job.nodeId,
    url,
    sha: run.cause.headSha,
    ref: run.cause.headBranch ?? run.cause.ref,
    task: 'deploy',
    payload: {},
    original_environment: job.environment ?? '',
    environment: job.environment ?? '',
    description: null,
    creator: presentUser(urls, run.triggeringActor),
    created_at: iso(job.createdAt),
    updated_at: iso(now),
    statuses_url: `${url}/statuses`,
    repository_url: api,
  };
}
