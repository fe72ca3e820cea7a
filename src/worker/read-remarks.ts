import { z } from 'zod';
import type { GitHubClient } from '../github/client.ts';
import { mayWrite } from '../github/observe/permission.ts';
import { type RepoName, repoParams } from '../github/repo-name.ts';

/** What somebody with write access said on the issue. */
export interface Remark {
  readonly login: string;
  readonly text: string;
}

const pageSize = 100;
const mostRemarks = 20;
const mostChars = 24_000;

const commentsSchema = z.array(
  z.object({
    body: z.string().nullish(),
    user: z.object({ login: z.string(), type: z.string() }).nullish(),
    performed_via_github_app: z.unknown().optional(),
  }),
);

/**
 * The newest remarks on an issue by people who may write to the repository now, oldest first, within bounds; commands to
 * the app, comments by or through apps, and everybody else's are left out. `count`: how many comments the issue has.
 * Throws ApiFailure when they cannot be read.
 */
export async function readRemarks(
  client: GitHubClient,
  repo: RepoName,
  issue: number,
  count: number,
): Promise<Remark[]> {
  const remarks: Remark[] = [];
  const rights = new Map<string, boolean>();
  let left = mostChars;
  for await (const { login, text } of newestFirst(client, repo, issue, count)) {
    if (!rights.has(login)) rights.set(login, await mayWrite(client, repo, login));
    if (rights.get(login) !== true) continue;
    remarks.push({ login, text: text.slice(0, left) });
    left -= text.length;
    if (left <= 0 || remarks.length === mostRemarks) break;
  }
  return remarks.reverse();
}

/** The last two pages hold all that is wanted, or the issue is so long that nobody expects more of it to be read. */
async function* newestFirst(
  client: GitHubClient,
  repo: RepoName,
  issue: number,
  count: number,
): AsyncGenerator<Remark> {
  const last = Math.ceil(count / pageSize);
  for (let page = last; page > Math.max(0, last - 2); page -= 1) {
    const params = { ...repoParams(repo), issue_number: issue, per_page: pageSize, page };
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const comments = await client.read(route, params, commentsSchema);
    for (const { user, body, performed_via_github_app: app } of comments.reverse()) {
      if (user?.type !== 'User' || (app !== null && app !== undefined)) continue;
      const text = (body ?? '').trim();
      if (text !== '' && !text.startsWith('/ccd')) yield { login: user.login, text };
    }
  }
}
