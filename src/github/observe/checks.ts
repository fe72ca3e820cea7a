import type { Oid } from '../../domain/ids.ts';
import type { ObservedCheck } from '../../domain/snapshot.ts';
import type { GitHubClient } from '../client.ts';
import { type RepoName, repoParams } from '../repo-name.ts';
import { checkPageSchema } from '../schema/check.ts';
import { itemsOf } from './items-of.ts';
import { findJobRun } from './job-run.ts';

/** Id of GitHub's own Actions app, under which every job's check run stands. */
export const actionsAppId = 15_368;

export interface CheckSearch {
  /** Only checks of this name. */
  readonly name?: string;
  readonly appId?: number;
  /** Find the run of each check of Actions: two reads for each. */
  readonly runs: boolean;
}

/** The newest check runs on a commit: one for each name and suite. */
export async function observeChecks(
  client: GitHubClient,
  repo: RepoName,
  commit: Oid,
  search: CheckSearch = { runs: false },
): Promise<ObservedCheck[]> {
  const params = {
    ...repoParams(repo),
    ref: commit,
    filter: 'latest',
    ...(search.name === undefined ? {} : { check_name: search.name }),
    ...(search.appId === undefined ? {} : { app_id: search.appId }),
  };
  const pages = client.pages('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', params, checkPageSchema);
  const found = await itemsOf(pages, (page) => page.check_runs.filter((check) => check !== null));
  const ours = found.filter(({ check }) => check.commit === commit);
  return Promise.all(
    ours.map(async ({ check, detailsUrl }) => {
      if (!search.runs || check.appId !== actionsAppId) return check;
      return { ...check, run: await findJobRun(client, repo, check, detailsUrl) };
    }),
  );
}
