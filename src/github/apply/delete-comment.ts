import { z } from 'zod';
import type { DatabaseId } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { outcomeUnless, type WriteOutcome } from './write-outcome.ts';

/** Takes a comment away. `exists`: it was gone already. */
export async function deleteComment(
  client: GitHubClient,
  repo: RepoName,
  comment: { readonly id: DatabaseId },
): Promise<WriteOutcome> {
  const route = 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}';
  const params = { ...repoParams(repo), comment_id: comment.id };
  return outcomeUnless(await client.write(route, params, z.unknown()), 'not-found');
}
