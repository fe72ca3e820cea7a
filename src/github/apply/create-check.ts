import { z } from 'zod';
import { type DatabaseId, databaseIdSchema } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { checkBodies, type NewCheck } from './check-fields.ts';
import { writeCheckBodies } from './update-check.ts';
import { outcomeOf, type WriteOutcome } from './write-outcome.ts';

/**
 * Puts a check run of the app on a commit. Not idempotent: look for the check by name and external id before it is made
 * again. When a later page of annotations fails, that is the outcome, and the check stands unconcluded.
 */
export async function createCheck(
  client: GitHubClient,
  repo: RepoName,
  check: NewCheck,
): Promise<WriteOutcome<{ id: DatabaseId }>> {
  const [first, ...more] = checkBodies(check);
  const params = { ...repoParams(repo), name: check.name, head_sha: check.commit, ...first };
  const schema = z.object({ id: databaseIdSchema });
  const created = outcomeOf(
    await client.write('POST /repos/{owner}/{repo}/check-runs', params, schema, 'content'),
    ({ id }) => ({ id }),
  );
  if (created.kind !== 'done') return created;
  const rest = await writeCheckBodies(client, repo, created.id, more);
  return rest.kind === 'done' ? created : rest;
}
