import { z } from 'zod';
import { databaseIdSchema, oidSchema } from '../../domain/ids.ts';
import type { ObservedCheck, ObservedRun } from '../../domain/snapshot.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { observeRun } from './runs.ts';

const jobSchema = z.object({ run_id: databaseIdSchema, head_sha: oidSchema, check_run_url: z.string() });

/**
 * The run whose job a check of Actions is, or null. Any job's token can make a check run under the Actions app and point
 * its details at a genuine job; so the job itself must name this very check run as its own.
 */
export async function findJobRun(
  client: GitHubClient,
  repo: RepoName,
  check: ObservedCheck,
  detailsUrl: string,
): Promise<ObservedRun | null> {
  // Jobs carry the id of their check run; the address is asked only where they differ.
  const named = Number(/\/job\/(\d{1,15})$/.exec(detailsUrl)?.[1] ?? check.id);
  for (const jobId of new Set([named, check.id])) {
    const route = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}';
    const job = await client.find(route, { ...repoParams(repo), job_id: jobId }, jobSchema);
    if (job === null || !job.check_run_url.endsWith(`/check-runs/${check.id}`)) continue;
    if (job.head_sha === check.commit) return observeRun(client, repo, job.run_id);
  }
  return null;
}
