import { z } from 'zod';
import { type DatabaseId, databaseIdSchema } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import type { Ruleset } from '../schema/ruleset.ts';
import { outcomeOf, type WriteOutcome } from './write-outcome.ts';

const idSchema = z.object({ id: databaseIdSchema });

/** Makes a ruleset; needs the right to administer, which the app has not: `ccd init` uses the person's own token. */
export async function createRuleset(
  client: GitHubClient,
  repo: RepoName,
  ruleset: Ruleset,
): Promise<WriteOutcome<{ id: DatabaseId }>> {
  const params = { ...repoParams(repo), ...ruleset };
  return outcomeOf(await client.write('POST /repos/{owner}/{repo}/rulesets', params, idSchema), ({ id }) => ({
    id,
  }));
}

/** Replaces a ruleset. Safe to repeat. Needs the right to administer. */
export async function updateRuleset(
  client: GitHubClient,
  repo: RepoName,
  ruleset: Ruleset & { readonly id: DatabaseId },
): Promise<WriteOutcome> {
  const { id, ...fields } = ruleset;
  const params = { ...repoParams(repo), ruleset_id: id, ...fields };
  const answer = await client.write('PUT /repos/{owner}/{repo}/rulesets/{ruleset_id}', params, z.unknown());
  return outcomeOf(answer, () => ({}));
}
