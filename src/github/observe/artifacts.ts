import { z } from 'zod';
import { type DatabaseId, databaseIdSchema } from '../../domain/ids.ts';
import type { ObservedArtifact } from '../../domain/snapshot.ts';
import { isNotFound } from '../api-failure.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { itemsOf } from './items-of.ts';

const artifactSchema = z.object({
  id: databaseIdSchema,
  name: z.string(),
  size_in_bytes: z.number().int().min(0),
  expired: z.boolean(),
});
const pageSchema = z.object({ artifacts: z.array(artifactSchema) });

/** What a run has handed over so far, in the order of upload; empty when the run is gone. */
export async function observeArtifacts(
  client: GitHubClient,
  repo: RepoName,
  runId: DatabaseId,
): Promise<ObservedArtifact[]> {
  const route = 'GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts';
  const pages = client.pages(route, { ...repoParams(repo), run_id: runId }, pageSchema);
  try {
    const found = await itemsOf(pages, (page) => page.artifacts);
    return found
      .map(({ id, name, size_in_bytes, expired }) => ({ id, runId, name, bytes: size_in_bytes, expired }))
      .sort((one, other) => one.id - other.id);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
