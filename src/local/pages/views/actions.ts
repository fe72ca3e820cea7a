import type { RunRecord } from '../../actions/runs/records.ts';
import { type Html, html } from '../html.ts';
import { links } from '../links.ts';
import { type RepoVisit, repoPage, type View } from '../page.ts';
import { person, verdictSign, verdictWord } from '../parts/badges.ts';
import { cutPage, cutPager } from '../parts/paging.ts';
import { when } from '../parts/time.ts';

/** `/actions`: workflow runs, newest first; `?workflow=` (a path) shows those of one file. */
export function showActions({ repo, actions, query, path }: RepoVisit): View {
  const all = [...(actions?.engine.runs.values() ?? [])].filter((run) => run.repo === repo).reverse();
  const wanted = query.get('workflow');
  const runs = wanted === null ? all : all.filter((run) => run.workflow.path === wanted);
  const workflows = new Map(all.map((run) => [run.workflow.path, run.workflow.name]));
  const cut = cutPage(runs, query, 30);
  const body = html`<h1>Workflow runs</h1>
<nav class="filter" aria-label="Workflow"><a href="${path}"${wanted === null ? html` aria-current="true"` : null}>All</a>${[...workflows].map(([file, name]) => html`<a href="${path}?workflow=${encodeURIComponent(file)}"${wanted === file ? html` aria-current="true"` : null}><bdi>${name}</bdi></a>`)}</nav>
${cut.items.length === 0 ? html`<div class="empty"><p>No runs.</p></div>` : html`<ul class="rows box">${cut.items.map((run) => runRow(run))}</ul>`}${cutPager(path, query, cut)}`;
  return repoPage(repo, 'actions', `Actions of ${repo.owner.login}/${repo.name}`, body);
}

function runRow(run: RunRecord): Html {
  const branch = run.cause.headBranch;
  return html`<li class="row">${verdictSign(run)}<div class="grow"><a class="title" href="${links.run(run.repo, run.id)}"><bdi>${run.displayTitle || run.workflow.name}</bdi></a>
<div class="muted small"><bdi>${run.workflow.name}</bdi> #${run.runNumber}${run.attempt > 1 ? `, attempt ${run.attempt}` : null}: ${run.cause.event.replaceAll('_', ' ')} by ${person(run.actor.user)}, ${when(run.createdAt)}</div></div>
${branch === null ? null : html`<a class="pill side" href="${links.tree(run.repo, branch)}"><bdi>${branch}</bdi></a>`}<span class="muted small side">${verdictWord(run)}</span></li>`;
}
