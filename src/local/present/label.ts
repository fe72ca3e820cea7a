import type { Label } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Urls } from '../urls.ts';

/** `label` of GitHub's description. */
export const presentLabel = (urls: Urls, repo: Repo, label: Label) => ({
  id: label.id,
  node_id: label.nodeId,
  url: `${urls.repoApi(repo)}/labels/${encodeURIComponent(label.name)}`,
  name: label.name,
  description: label.description,
  color: label.color,
  default: false,
});
