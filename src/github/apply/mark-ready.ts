import { z } from 'zod';
import type { GitHubClient } from '../client.ts';
import { outcomeOf, type WriteOutcome } from './write-outcome.ts';

const draftSchema = z.object({ isDraft: z.boolean() });

/** Ends a pull request's draft state: by GraphQL, as REST has no way. Safe to repeat. */
export async function markReady(
  client: GitHubClient,
  nodeId: string,
): Promise<WriteOutcome<{ draft: boolean }>> {
  const document = `mutation($id: ID!) {
  change: markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;
  return change(client, document, nodeId);
}

/** Makes a pull request a draft again. Safe to repeat. */
export async function convertToDraft(
  client: GitHubClient,
  nodeId: string,
): Promise<WriteOutcome<{ draft: boolean }>> {
  const document = `mutation($id: ID!) {
  change: convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;
  return change(client, document, nodeId);
}

async function change(
  client: GitHubClient,
  document: string,
  id: string,
): Promise<WriteOutcome<{ draft: boolean }>> {
  const schema = z.object({ change: z.object({ pullRequest: draftSchema }) });
  const answer = await client.mutate(document, { id }, schema);
  return outcomeOf(answer, (data) => ({ draft: data.change.pullRequest.isDraft }));
}
