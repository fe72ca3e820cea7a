import { resolveCommit } from '../../git/resolve.ts';
import type { Repo } from '../../records/repository.ts';
import { graphSvg, lanesOf } from '../graph/graph-svg.ts';
import { layGraph } from '../graph/lanes.ts';
import { html } from '../html.ts';
import { links } from '../links.ts';
import { type RepoVisit, repoPage, type View } from '../page.ts';
import { checksSign } from '../parts/checks.ts';
import { pageNumber, pager } from '../parts/paging.ts';
import { when } from '../parts/time.ts';
import { readLog } from '../read-log.ts';

const PER_PAGE = 60;

export const showDefaultCommits = ({ repo }: RepoVisit): View => ({
  kind: 'moved',
  to: links.commits(repo, repo.defaultBranch),
});

/** `/commits/{branch, tag or commit}`: the commit graph. */
export async function showCommits({ repo, params, query, path }: RepoVisit): Promise<View | null> {
  const rev = params.rest ?? '';
  const commit = await resolveCommit(repo.git, rev);
  if (commit === null) return rev === repo.defaultBranch ? noCommits(repo) : null;
  const page = pageNumber(query);
  const skip = (page - 1) * PER_PAGE;
  const found = await readLog(repo.git, [commit], { limit: PER_PAGE + 1, skip });
  const shown = found.slice(0, PER_PAGE);
  const refs = new Map<string, string[]>();
  for (const { name, oid } of await repo.git.refs('refs/heads/'))
    refs.set(oid, [...(refs.get(oid) ?? []), name.slice('refs/heads/'.length)]);
  const rows = layGraph(shown);
  const lanes = lanesOf(rows);
  const list = shown.map((entry, index) => {
    const heads = (refs.get(entry.oid) ?? []).slice(0, 4);
    return html`<li>${graphSvg(rows[index]!, lanes, entry.parents.length > 1)}<div class="grow">
<div class="cut">${heads.map((name) => html`<a class="pill" href="${links.commits(repo, name)}"><bdi>${name}</bdi></a> `)}<a class="title" href="${links.commit(repo, entry.oid)}"><bdi>${entry.subject || '(no message)'}</bdi></a></div>
<div class="muted small cut"><bdi>${entry.author}</bdi>, ${when(entry.date)} <span class="oid">${entry.oid.slice(0, 7)}</span></div></div>${checksSign(repo, entry.oid)}</li>`;
  });
  const at = { page, last: null, more: found.length > PER_PAGE };
  const body = html`<h1>Commits <span class="muted">on <bdi>${rev}</bdi></span></h1><ol class="graph-list box">${list}</ol>${pager(path, query, at)}`;
  return repoPage(repo, 'commits', `Commits on ${rev}`, body);
}

const noCommits = (repo: Repo): View =>
  repoPage(repo, 'commits', 'Commits', html`<h1>Commits</h1><div class="empty"><p>None yet.</p></div>`);
