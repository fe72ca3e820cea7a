import { z } from 'zod';
import { type DatabaseId, databaseIdSchema, type IssueNumber, issueNumberSchema } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { outcomeOf, type WriteOutcome } from './write-outcome.ts';

/** Opens an issue. Not idempotent: look for it before it is made again. */
export async function createIssue(
  client: GitHubClient,
  repo: RepoName,
  issue: { readonly title: string; readonly body: string; readonly labels?: readonly string[] },
): Promise<WriteOutcome<{ number: IssueNumber; id: DatabaseId }>> {
  const schema = z.object({ number: issueNumberSchema, id: databaseIdSchema });
  const params = { ...repoParams(repo), ...issue };
  const answer = await client.write('POST /repos/{owner}/{repo}/issues', params, schema, 'content');
  return outcomeOf(answer, ({ number, id }) => ({ number, id }));
}
