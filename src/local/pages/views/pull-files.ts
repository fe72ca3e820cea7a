import { diffFiles } from '../../git/diff.ts';
import { asPull } from '../../present/pull.ts';
import { mergeBaseOf } from '../../pulls/counts.ts';
import { diffView } from '../diff/diff-view.ts';
import { html } from '../html.ts';
import { type RepoVisit, repoPage, type View } from '../page.ts';
import { commitRow } from '../parts/commit-row.ts';
import { pullTabs } from '../parts/pull-tabs.ts';
import { readLog } from '../read-log.ts';
import { pullHead } from './pull.ts';

const MAX_COMMITS = 250;

/** `/pull/{n}/files`: the change from the merge base to the head. */
export async function showPullFiles({ repo, params }: RepoVisit): Promise<View | null> {
  const issue = asPull(repo.issues.get(Number(params.number)));
  if (issue === null) return null;
  const files = await diffFiles(repo.git, await mergeBaseOf(repo, issue), issue.pull.headSha);
  const body = html`${pullHead(repo, issue)}${pullTabs(repo, issue, 'files')}${diffView(repo, issue.pull.headSha, files)}`;
  return repoPage(repo, 'pulls', `Files of ${issue.title} #${issue.number}`, body);
}

/** `/pull/{n}/commits`: what it would bring, newest first. */
export async function showPullCommits({ repo, params }: RepoVisit): Promise<View | null> {
  const issue = asPull(repo.issues.get(Number(params.number)));
  if (issue === null) return null;
  const range = `${await mergeBaseOf(repo, issue)}..${issue.pull.headSha}`;
  const log = await readLog(repo.git, [range], { limit: MAX_COMMITS });
  const body = html`${pullHead(repo, issue)}${pullTabs(repo, issue, 'commits')}<ul class="rows box">${log.map((entry) => commitRow(repo, entry))}</ul>`;
  return repoPage(repo, 'pulls', `Commits of ${issue.title} #${issue.number}`, body);
}
