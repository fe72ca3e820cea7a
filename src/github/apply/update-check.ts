import { z } from 'zod';
import type { DatabaseId } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { type CheckContent, checkBodies } from './check-fields.ts';
import { type NotDone, outcomeOf, type WriteOutcome } from './write-outcome.ts';

/** Overwrites a check run of the app; annotations are appended to those that it has. */
export async function updateCheck(
  client: GitHubClient,
  repo: RepoName,
  check: CheckContent & { readonly id: DatabaseId },
): Promise<WriteOutcome> {
  return writeCheckBodies(client, repo, check.id, checkBodies(check));
}

/** Sends the bodies one after the other and stops at the first that fails. */
export async function writeCheckBodies(
  client: GitHubClient,
  repo: RepoName,
  id: DatabaseId,
  bodies: readonly Record<string, unknown>[],
): Promise<{ readonly kind: 'done' } | NotDone> {
  const route = 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}';
  for (const body of bodies) {
    const params = { ...repoParams(repo), check_run_id: id, ...body };
    const outcome = outcomeOf(await client.write(route, params, z.unknown()), () => ({}));
    if (outcome.kind !== 'done') return outcome;
  }
  return { kind: 'done' };
}
