import { z } from 'zod';
import type { IssueNumber } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { outcomeOf, type WriteOutcome } from './write-outcome.ts';

/** Rewrites title or body of an issue of ours (control issue, nightly report). Never used on a task: its body is the spec. */
export async function updateIssue(
  client: GitHubClient,
  repo: RepoName,
  change: { readonly number: IssueNumber; readonly title?: string; readonly body?: string },
): Promise<WriteOutcome> {
  const { number, ...fields } = change;
  const route = 'PATCH /repos/{owner}/{repo}/issues/{issue_number}';
  const answer = await client.write(
    route,
    { ...repoParams(repo), issue_number: number, ...fields },
    z.unknown(),
  );
  return outcomeOf(answer, () => ({}));
}
