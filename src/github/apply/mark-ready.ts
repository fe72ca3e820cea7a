import { z } from 'zod';
import type { GitHubClient } from '../client.ts';
import { outcomeOf, type WriteOutcome } from './write-outcome.ts';

const document = `mutation($id: ID!) {
  change: markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;
const schema = z.object({ change: z.object({ pullRequest: z.object({ isDraft: z.boolean() }) }) });

/** Ends a pull request's draft state: by GraphQL, as REST has no way. `nodeId`: the pull request's. Safe to repeat. */
export async function markReady(
  client: GitHubClient,
  nodeId: string,
): Promise<WriteOutcome<{ draft: boolean }>> {
  const answer = await client.mutate(document, { id: nodeId }, schema);
  return outcomeOf(answer, (data) => ({ draft: data.change.pullRequest.isDraft }));
}
