import type { DatabaseId, Instant, Oid } from '../../domain/ids.ts';
import type { ObservedRun } from '../../domain/snapshot.ts';
import { isNotFound } from '../api-failure.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { runPageSchema, runSchema } from '../schema/run.ts';
import { itemsOf } from './items-of.ts';

/** One workflow run as its newest attempt stands; null when it is gone. */
export async function observeRun(
  client: GitHubClient,
  repo: RepoName,
  id: DatabaseId,
): Promise<ObservedRun | null> {
  const route = 'GET /repos/{owner}/{repo}/actions/runs/{run_id}';
  return client.find(route, { ...repoParams(repo), run_id: id }, runSchema);
}

export interface RunSearch {
  /** File name of the workflow, without its folder. */
  readonly workflow: string;
  /** Short name of the branch that it was dispatched on. */
  readonly branch: string;
  readonly createdSince: Instant | null;
  /** Text that the run's title must hold; absent: any title. */
  readonly titleHolds?: string;
}

/**
 * Dispatched runs of one workflow on one branch, oldest first. Titles are what the dispatcher's inputs make of them:
 * they help to find a run and prove nothing. Empty when the workflow is not there yet.
 */
export async function findRunsByTitle(
  client: GitHubClient,
  repo: RepoName,
  search: RunSearch,
): Promise<ObservedRun[]> {
  const route = 'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs';
  const created = search.createdSince === null ? {} : { created: `>=${search.createdSince}` };
  const params = {
    ...repoParams(repo),
    workflow_id: search.workflow,
    branch: search.branch,
    event: 'workflow_dispatch',
    ...created,
  };
  const runs = await listRuns(client, route, params);
  return runs.filter((run) => run.title.includes(search.titleHolds ?? ''));
}

/** All workflow runs whose head is a commit, oldest first. */
export async function runsForCommit(
  client: GitHubClient,
  repo: RepoName,
  commit: Oid,
): Promise<ObservedRun[]> {
  return listRuns(client, 'GET /repos/{owner}/{repo}/actions/runs', {
    ...repoParams(repo),
    head_sha: commit,
  });
}

async function listRuns(
  client: GitHubClient,
  route: string,
  params: Readonly<Record<string, unknown>>,
): Promise<ObservedRun[]> {
  try {
    const runs = await itemsOf(client.pages(route, params, runPageSchema), (page) => page.workflow_runs);
    // A list that grows while it is read shows a run twice.
    const byId = new Map(runs.map((run) => [run.id, run]));
    return [...byId.values()].sort((one, other) => one.id - other.id);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
