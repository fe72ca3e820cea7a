import { z } from 'zod';
import type { IssueNumber } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { outcomeOf, type WriteOutcome } from './write-outcome.ts';

export interface PullChange {
  readonly number: IssueNumber;
  readonly title?: string;
  readonly body?: string;
  readonly state?: 'open' | 'closed';
  readonly base?: string;
}

/** Changes what is given of a pull request and leaves the rest. Safe to repeat. */
export async function updatePull(
  client: GitHubClient,
  repo: RepoName,
  change: PullChange,
): Promise<WriteOutcome> {
  const { number, ...fields } = change;
  const route = 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}';
  const answer = await client.write(
    route,
    { ...repoParams(repo), pull_number: number, ...fields },
    z.unknown(),
  );
  return outcomeOf(answer, () => ({}));
}
