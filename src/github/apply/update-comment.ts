import { z } from 'zod';
import type { DatabaseId } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { outcomeOf, type WriteOutcome } from './write-outcome.ts';

/** Replaces a comment's text. Refused as `not-found` when the comment was deleted. */
export async function updateComment(
  client: GitHubClient,
  repo: RepoName,
  comment: { readonly id: DatabaseId; readonly body: string },
): Promise<WriteOutcome> {
  const route = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
  const params = { ...repoParams(repo), comment_id: comment.id, body: comment.body };
  return outcomeOf(await client.write(route, params, z.unknown()), () => ({}));
}
