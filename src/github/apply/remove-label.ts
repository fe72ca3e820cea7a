import { z } from 'zod';
import type { IssueNumber } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { outcomeUnless, type WriteOutcome } from './write-outcome.ts';

/** Takes one label off an issue. `exists`: it was not there, or the issue is gone. */
export async function removeLabel(
  client: GitHubClient,
  repo: RepoName,
  label: { readonly number: IssueNumber; readonly name: string },
): Promise<WriteOutcome> {
  const route = 'DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}';
  const params = { ...repoParams(repo), issue_number: label.number, name: label.name };
  return outcomeUnless(await client.write(route, params, z.unknown()), 'not-found');
}
