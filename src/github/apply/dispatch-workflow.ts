import { z } from 'zod';
import { type DatabaseId, databaseIdSchema } from '../../domain/ids.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { outcomeOf, type WriteOutcome } from './write-outcome.ts';

export interface Dispatch {
  /** File name of the workflow, without its folder. */
  readonly workflow: string;
  /** Full name: a tag of the same short name would win over the branch. */
  readonly ref: `refs/heads/${string}`;
  readonly inputs: Readonly<Record<string, string>>;
}

/** Answers 200 with details, or 204 with none from servers that do not know `return_run_details`. */
const answerSchema = z.union([
  z.object({ workflow_run_id: databaseIdSchema }),
  z.unknown().transform(() => null),
]);

/** Starts a workflow. Each success starts a run; `runId` is null where the server does not tell it. */
export async function dispatchWorkflow(
  client: GitHubClient,
  repo: RepoName,
  dispatch: Dispatch,
): Promise<WriteOutcome<{ runId: DatabaseId | null }>> {
  const route = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';
  const params = {
    ...repoParams(repo),
    workflow_id: dispatch.workflow,
    ref: dispatch.ref,
    inputs: dispatch.inputs,
    return_run_details: true,
  };
  const answer = await client.write(route, params, answerSchema);
  return outcomeOf(answer, (data) => ({ runId: data?.workflow_run_id ?? null }));
}
