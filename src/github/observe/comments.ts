import { z } from 'zod';
import { type DatabaseId, databaseIdSchema, type IssueNumber } from '../../domain/ids.ts';
import type { ObservedComment } from '../../domain/snapshot.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { restActorSchema } from '../schema/actor.ts';
import { issueUrlSchema } from '../schema/issue-url.ts';

const commentSchema = z.object({
  id: databaseIdSchema,
  issue_url: issueUrlSchema,
  body: z.string().nullish(),
  user: restActorSchema,
});
type Comment = z.infer<typeof commentSchema>;

/** One comment; null when it was deleted. */
export async function observeComment(
  client: GitHubClient,
  repo: RepoName,
  id: DatabaseId,
): Promise<ObservedComment | null> {
  const route = 'GET /repos/{owner}/{repo}/issues/comments/{comment_id}';
  const comment = await client.find(route, { ...repoParams(repo), comment_id: id }, commentSchema);
  return comment === null ? null : toObserved(comment);
}

export interface MarkedSearch {
  /** Text that the comment must hold: a marker of ours. */
  readonly marker: string;
  /** Id of the app's bot: a marker in anybody else's comment is a copy. */
  readonly botId: DatabaseId;
}

/** The oldest comment of the app on an issue or pull request that holds a marker, or null. Reads until it is found. */
export async function findMarked(
  client: GitHubClient,
  repo: RepoName,
  number: IssueNumber,
  search: MarkedSearch,
): Promise<ObservedComment | null> {
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
  const params = { ...repoParams(repo), issue_number: number };
  for await (const page of client.pages(route, params, z.array(commentSchema))) {
    const found = page.find(
      ({ body, user }) => user.id === search.botId && (body ?? '').includes(search.marker),
    );
    if (found !== undefined) return toObserved(found);
  }
  return null;
}

function toObserved(comment: Comment): ObservedComment {
  return { id: comment.id, number: comment.issue_url, body: comment.body ?? '' };
}
