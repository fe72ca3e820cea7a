import { iso } from '../../iso.ts';
import type { Urls } from '../../urls.ts';
import type { WorkflowRecord } from '../runs/records.ts';

/** `workflow` of GitHub's description. */
export function presentWorkflow(urls: Urls, workflow: WorkflowRecord) {
  const { repo, path } = workflow;
  return {
    id: workflow.id,
    node_id: workflow.nodeId,
    name: workflow.name,
    path,
    state: 'active',
    created_at: iso(workflow.createdAt),
    updated_at: iso(workflow.updatedAt),
    url: `${urls.repoApi(repo)}/actions/workflows/${workflow.id}`,
    html_url: `${urls.repoHtml(repo)}/blob/${repo.defaultBranch}/${path}`,
    badge_url: `${urls.repoHtml(repo)}/workflows/${encodeURIComponent(workflow.name)}/badge.svg`,
  };
}
