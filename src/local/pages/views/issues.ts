import type { Issue } from '../../records/issue.ts';
import { type Html, html } from '../html.ts';
import { type RepoVisit, repoPage, type View } from '../page.ts';
import { labelChip } from '../parts/badges.ts';
import { issueRow } from '../parts/issue-row.ts';
import { cutPage, cutPager, withQuery } from '../parts/paging.ts';

/** `/issues`: filtered by `?state=` (open, closed, all) and any number of `?label=`. */
export const showIssues = (visit: RepoVisit): View =>
  list(
    visit,
    'Issues',
    [...visit.repo.issues.values()].filter((issue) => issue.pull === null),
  );

/** `/pulls`, filtered in the same way. */
export const showPulls = (visit: RepoVisit): View =>
  list(
    visit,
    'Pull requests',
    [...visit.repo.issues.values()].filter((issue) => issue.pull !== null),
  );

function list({ repo, query, path }: RepoVisit, title: string, all: readonly Issue[]): View {
  const state = query.get('state') ?? 'open';
  const wanted = query.getAll('label').map((name) => name.toLowerCase());
  const labelled = all.filter((issue) =>
    wanted.every((name) => issue.labels.some((label) => label.name.toLowerCase() === name)),
  );
  const shown = labelled.filter((issue) => state === 'all' || issue.state === state);
  const cut = cutPage(
    shown.sort((one, other) => other.number - one.number),
    query,
    30,
  );
  const open = labelled.filter((issue) => issue.state === 'open').length;
  const tab = (name: string, label: string, count: number): Html =>
    html`<a href="${withQuery(path, query, { state: name, page: null })}"${name === state ? html` aria-current="true"` : null}>${label} <span class="count">${count}</span></a>`;
  return repoPage(
    repo,
    title === 'Issues' ? 'issues' : 'pulls',
    `${title} of ${repo.owner.login}/${repo.name}`,
    html`<h1>${title}</h1>
<nav class="filter" aria-label="State">${tab('open', 'Open', open)}${tab('closed', 'Closed', labelled.length - open)}${tab('all', 'All', labelled.length)}</nav>
${labelFilter({ all, wanted, path, query })}
${cut.items.length === 0 ? html`<div class="empty"><p>Nothing matches.</p></div>` : html`<ul class="rows box">${cut.items.map((issue) => issueRow(repo, issue))}</ul>`}
${cutPager(path, query, cut)}`,
  );
}

/** The labels in use, to filter by; one that is chosen takes itself away. */
function labelFilter(at: {
  readonly all: readonly Issue[];
  readonly wanted: readonly string[];
  readonly path: string;
  readonly query: URLSearchParams;
}): Html | null {
  const used = new Map(
    at.all.flatMap((issue) => issue.labels).map((label) => [label.name.toLowerCase(), label]),
  );
  if (used.size === 0) return null;
  const chips = [...used].slice(0, 40).map(([name, label]) => {
    const chosen = at.wanted.includes(name);
    const next = new URLSearchParams(at.query);
    next.delete('page');
    next.delete('label');
    for (const other of at.wanted) if (other !== name) next.append('label', other);
    if (!chosen) next.append('label', name);
    const text = next.toString();
    return html`<li${chosen ? html` class="chosen"` : null}>${labelChip(label, text === '' ? at.path : `${at.path}?${text}`)}</li>`;
  });
  return html`<ul class="chips" aria-label="Labels">${chips}</ul>`;
}
