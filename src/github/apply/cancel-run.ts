import { z } from 'zod';
import type { DatabaseId } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { outcomeUnless, type WriteOutcome } from './write-outcome.ts';

/**
 * Asks for a run to be cancelled; `force` does not wait for its steps marked `always()`. `done` means asked, not ended.
 * `exists`: the run was completed already.
 */
export async function cancelRun(
  client: GitHubClient,
  repo: RepoName,
  run: { readonly id: DatabaseId; readonly force: boolean },
): Promise<WriteOutcome> {
  const route = `POST /repos/{owner}/{repo}/actions/runs/{run_id}/${run.force ? 'force-cancel' : 'cancel'}`;
  return outcomeUnless(
    await client.write(route, { ...repoParams(repo), run_id: run.id }, z.unknown()),
    'conflict',
  );
}
