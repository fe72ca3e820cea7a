import { z } from 'zod';
import { type IssueNumber, issueNumberSchema } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { itemsOf } from './items-of.ts';

const pageSchema = z.array(z.object({ number: issueNumberSchema, repository_url: z.string().optional() }));

/**
 * Numbers of the issues of the same repository that block an issue, open or closed, ascending. Edges into other
 * repositories are left out: a number means nothing there.
 */
export async function observeBlockedBy(
  client: GitHubClient,
  repo: RepoName,
  number: IssueNumber,
): Promise<IssueNumber[]> {
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by';
  const found = await itemsOf(
    client.pages(route, { ...repoParams(repo), issue_number: number }, pageSchema),
    (page) => page.filter((issue) => isOf(repo, issue.repository_url)),
  );
  return found.map((issue) => issue.number).sort((one, other) => one - other);
}

function isOf(repo: RepoName, url: string | undefined): boolean {
  return url === undefined || url.toLowerCase().endsWith(`/repos/${repo.owner}/${repo.name}`.toLowerCase());
}
