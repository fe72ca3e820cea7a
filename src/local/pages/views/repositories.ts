import type { Repo } from '../../records/repository.ts';
import { html } from '../html.ts';
import { links } from '../links.ts';
import { page, type View, type Visit } from '../page.ts';
import { cutPage, cutPager } from '../parts/paging.ts';
import { when } from '../parts/time.ts';

/** `/`: every repository. */
export function showRepositories({ store, query, path }: Visit): View {
  return page(
    'Repositories',
    html`<h1>Repositories</h1>${repositoryList([...store.repos.values()], path, query)}`,
  );
}

export function repositoryList(repos: readonly Repo[], path: string, query: URLSearchParams) {
  if (repos.length === 0)
    return html`<div class="empty"><p>No repositories yet. Start with <code>--repo &lt;dir&gt;</code> to import one.</p></div>`;
  const cut = cutPage(repos, query, 50);
  return html`<ul class="rows box">${cut.items.map((repo) => {
    const open = [...repo.issues.values()].filter((issue) => issue.state === 'open');
    const pulls = open.filter((issue) => issue.pull !== null).length;
    return html`<li class="row"><div class="grow"><a class="title" href="${links.repo(repo)}">${repo.owner.login}/${repo.name}</a>${repo.private ? html` <span class="pill">private</span>` : null}
${repo.description === null ? null : html`<div><bdi>${repo.description}</bdi></div>`}
<div class="muted small">${open.length - pulls} open issues, ${pulls} open pull requests, pushed ${when(repo.pushedAt)}</div></div></li>`;
  })}</ul>${cutPager(path, query, cut)}`;
}
