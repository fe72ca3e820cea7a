import { z } from 'zod';
import type { IssueNumber } from '../../domain/ids.ts';
import type { ObservedPull } from '../../domain/snapshot.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { pullSchema } from '../schema/pull.ts';
import { observeReviews } from './reviews.ts';

/** One pull request with its reviews (left empty unless asked for); null when there is none of that number. */
export async function observePull(
  client: GitHubClient,
  repo: RepoName,
  number: IssueNumber,
  options: { readonly reviews: boolean } = { reviews: true },
): Promise<ObservedPull | null> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
  const pull = await client.find(route, { ...repoParams(repo), pull_number: number }, pullSchema);
  if (pull === null || !options.reviews) return pull;
  return { ...pull, reviews: await observeReviews(client, repo, number) };
}

/**
 * The newest pull request from one branch of this repository to another, open ones first; null when there is none. Anybody may open one
 * from a branch of ours: look at its author. Reviews are not read.
 */
export async function findPullByHead(
  client: GitHubClient,
  repo: RepoName,
  { branch, base }: { readonly branch: string; readonly base: string },
): Promise<ObservedPull | null> {
  const params = { ...repoParams(repo), head: `${repo.owner}:${branch}`, base, state: 'all', per_page: 100 };
  const pulls = await client.read('GET /repos/{owner}/{repo}/pulls', params, z.array(pullSchema));
  const ours = pulls
    .filter((pull) => pull.headRef === branch && pull.base === base)
    .sort((one, other) => Number(other.open) - Number(one.open) || other.number - one.number);
  return ours[0] ?? null;
}
