import { z } from 'zod';
import { databaseIdSchema, type IssueNumber, instantSchema, oidSchema } from '../../domain/ids.ts';
import type { ObservedReview } from '../../domain/snapshot.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { restActorSchema } from '../schema/actor.ts';
import { itemsOf } from './items-of.ts';

const states: Readonly<Record<string, ObservedReview['state']>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  COMMENTED: 'commented',
  DISMISSED: 'dismissed',
};

const reviewSchema = z
  .object({
    id: databaseIdSchema,
    user: restActorSchema,
    state: z.string(),
    commit_id: oidSchema.nullish(),
    submitted_at: instantSchema.nullish(),
  })
  .transform((review): ObservedReview | null => {
    const state = states[review.state.toUpperCase()];
    // Not submitted yet: nobody's word.
    if (state === undefined || review.submitted_at == null) return null;
    const commit = review.commit_id ?? null;
    return { id: review.id, actor: review.user, state, commit, at: review.submitted_at };
  });

/** All submitted reviews of a pull request, oldest first. */
export async function observeReviews(
  client: GitHubClient,
  repo: RepoName,
  number: IssueNumber,
): Promise<ObservedReview[]> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
  const params = { ...repoParams(repo), pull_number: number };
  return itemsOf(client.pages(route, params, z.array(reviewSchema)), (page) =>
    page.filter((review) => review !== null),
  );
}
