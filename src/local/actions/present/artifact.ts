import { iso } from '../../iso.ts';
import type { Urls } from '../../urls.ts';
import type { Artifact } from '../artifacts/artifact-store.ts';

/** `artifact` of GitHub's description. */
export function presentArtifact(urls: Urls, artifact: Artifact, expired: boolean) {
  const { run } = artifact;
  const url = `${urls.repoApi(run.repo)}/actions/artifacts/${artifact.id}`;
  return {
    id: artifact.id,
    node_id: artifact.nodeId,
    name: artifact.name,
    size_in_bytes: artifact.data.length,
    url,
    archive_download_url: `${url}/zip`,
    expired,
    created_at: iso(artifact.createdAt),
    expires_at: iso(artifact.expiresAt),
    updated_at: iso(artifact.updatedAt),
    digest: artifact.digest,
    workflow_run: {
      id: run.id,
      repository_id: run.repo.id,
      head_repository_id: run.repo.id,
      head_branch: run.cause.headBranch,
      head_sha: run.cause.headSha,
    },
  };
}
