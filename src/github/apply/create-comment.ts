import { z } from 'zod';
import { type DatabaseId, databaseIdSchema, type IssueNumber } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { outcomeOf, type WriteOutcome } from './write-outcome.ts';

/** Comments on an issue or pull request. Not idempotent: look for the comment's marker before it is made again. */
export async function createComment(
  client: GitHubClient,
  repo: RepoName,
  comment: { readonly number: IssueNumber; readonly body: string },
): Promise<WriteOutcome<{ id: DatabaseId }>> {
  const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
  const params = { ...repoParams(repo), issue_number: comment.number, body: comment.body };
  const answer = await client.write(route, params, z.object({ id: databaseIdSchema }), 'content');
  return outcomeOf(answer, ({ id }) => ({ id }));
}
