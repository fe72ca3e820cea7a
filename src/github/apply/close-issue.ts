import { z } from 'zod';
import type { IssueNumber } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { outcomeOf, type WriteOutcome } from './write-outcome.ts';

/** Closes an issue. Safe to repeat. */
export async function closeIssue(
  client: GitHubClient,
  repo: RepoName,
  issue: { readonly number: IssueNumber; readonly as: 'completed' | 'not_planned' },
): Promise<WriteOutcome> {
  const route = 'PATCH /repos/{owner}/{repo}/issues/{issue_number}';
  const params = { ...repoParams(repo), issue_number: issue.number, state: 'closed', state_reason: issue.as };
  return outcomeOf(await client.write(route, params, z.unknown()), () => ({}));
}
