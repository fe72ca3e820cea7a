import type { Value } from '../expressions/values.ts';
import type { ServerUrls } from './job-scope.ts';
import type { RunRecord } from './records.ts';

/** `main` of `refs/heads/main`, `v1` of `refs/tags/v1`, `7/merge` of `refs/pull/7/merge`. */
function shortRef(ref: string): string {
  return ref.replace(/^refs\/(heads|tags|pull)\//, '');
}

/** The `github` context as far as it is the same for all jobs of a run; the runner adds token, workspace and the rest. */
export function githubContext(run: RunRecord, urls: ServerUrls): Record<string, Value> {
  const { repo, cause, workflow } = run;
  const repository = `${repo.owner.login}/${repo.name}`;
  return {
    actor: run.actor.user.login,
    actor_id: String(run.actor.user.id),
    api_url: urls.api,
    base_ref: cause.baseRef ?? '',
    event: cause.payload,
    event_name: cause.event,
    graphql_url: urls.graphql,
    head_ref: cause.headRef ?? '',
    ref: cause.ref,
    ref_name: shortRef(cause.ref),
    ref_protected: false,
    ref_type: cause.ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    repository,
    repository_id: String(repo.id),
    repository_owner: repo.owner.login,
    repository_owner_id: String(repo.owner.id),
    repositoryUrl: `${urls.server}/${repository}.git`,
    retention_days: '90',
    run_attempt: String(run.attempt),
    run_id: String(run.id),
    run_number: String(run.runNumber),
    secret_source: 'Actions',
    server_url: urls.server,
    sha: cause.sha,
    triggering_actor: run.triggeringActor.login,
    workflow: workflow.name,
    workflow_ref: `${repository}/${workflow.path}@${cause.ref}`,
    workflow_sha: cause.sha,
  };
}
