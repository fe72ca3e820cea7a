import { z } from 'zod';
import type { DatabaseId } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { outcomeUnless, type WriteOutcome } from './write-outcome.ts';

/** Deletes a comment of ours that was made twice. `exists`: it was gone already. */
export async function deleteComment(
  client: GitHubClient,
  repo: RepoName,
  id: DatabaseId,
): Promise<WriteOutcome> {
  const route = 'DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}';
  return outcomeUnless(
    await client.write(route, { ...repoParams(repo), comment_id: id }, z.unknown()),
    'not-found',
  );
}
