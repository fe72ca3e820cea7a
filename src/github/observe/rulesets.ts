import { z } from 'zod';
import { type DatabaseId, databaseIdSchema } from '../../domain/ids.ts';
import { ApiFailure } from '../api-failure.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { type Ruleset, rulesetSchema } from '../schema/ruleset.ts';
import { itemsOf } from './items-of.ts';

/** `unavailable`: the plan has none, or the token may not see them; then trunk is never called protected. */
export type ObservedRulesets =
  | { readonly kind: 'read'; readonly rulesets: readonly (Ruleset & { readonly id: DatabaseId })[] }
  | { readonly kind: 'unavailable'; readonly reason: string };

const listSchema = z.array(z.object({ id: databaseIdSchema }));

/** The repository's own rulesets in full; those of its organisation are left out. */
export async function observeRulesets(client: GitHubClient, repo: RepoName): Promise<ObservedRulesets> {
  const params = { ...repoParams(repo), includes_parents: false };
  try {
    const pages = client.pages('GET /repos/{owner}/{repo}/rulesets', params, listSchema);
    const listed = await itemsOf(pages, (page) => page);
    const found = await Promise.all(listed.map(({ id }) => observeRuleset(client, repo, id)));
    return { kind: 'read', rulesets: found.filter((ruleset) => ruleset !== null) };
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    const { kind, message } = error.failure;
    if (kind !== 'forbidden' && kind !== 'not-found') throw error;
    return { kind: 'unavailable', reason: message };
  }
}

async function observeRuleset(client: GitHubClient, repo: RepoName, id: DatabaseId) {
  const route = 'GET /repos/{owner}/{repo}/rulesets/{ruleset_id}';
  const schema = rulesetSchema.extend({ id: databaseIdSchema });
  return client.find(route, { ...repoParams(repo), ruleset_id: id, includes_parents: false }, schema);
}
