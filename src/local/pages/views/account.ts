import { html, type Piece } from '../html.ts';
import { links } from '../links.ts';
import { page, type View, type Visit } from '../page.ts';
import { person } from '../parts/badges.ts';
import { when } from '../parts/time.ts';
import { repositoryList } from './repositories.ts';

/** `/{login}`: an account and its repositories. */
export function showAccount({ store, params, path, query }: Visit): View | null {
  const user = store.userByLogin(params.login ?? '');
  if (user === undefined || user.type === 'Bot') return null;
  const own = [...store.repos.values()].filter((repo) => repo.owner === user);
  return page(
    user.login,
    html`<h1><bdi>${user.login}</bdi> <span class="pill">${user.type === 'Organization' ? 'organization' : 'user'}</span></h1>
${own.length === 0 ? html`<p class="muted">Owns no repositories.</p>` : repositoryList(own, path, query)}`,
  );
}

/** `/apps/{slug}`: an app, where it is installed and what it may. */
export function showApp({ store, params }: Visit): View | null {
  const app = store.appBySlug(params.slug ?? '');
  if (app === undefined) return null;
  const installed = [...store.installations.values()].filter((one) => one.app === app);
  return page(
    app.name,
    html`<h1><bdi>${app.name}</bdi> <span class="pill">app</span></h1>
<p class="muted">Id ${app.id}, owned by ${person(app.owner)}, made ${when(app.createdAt)}.</p>
<h2>Installed on</h2>
${installed.length === 0 ? html`<p class="muted">No account.</p>` : html`<ul class="rows box">${installed.map((one) => html`<li class="row"><div class="grow"><a href="/settings/installations/${one.id}">${one.account.login}</a></div></li>`)}</ul>`}
<h2>May</h2>${permissionTable(app.permissions)}`,
  );
}

/** `/settings/installations/{id}`: one installation. */
export function showInstallation({ store, params }: Visit): View | null {
  const one = store.installations.get(Number(params.id));
  if (one === undefined) return null;
  const repos = [...store.repos.values()].filter(
    (repo) => repo.owner === one.account && (one.repositories === 'all' || one.repositories.has(repo.id)),
  );
  return page(
    `${one.app.name} on ${one.account.login}`,
    html`<h1><a href="/apps/${encodeURIComponent(one.app.slug)}"><bdi>${one.app.name}</bdi></a> on ${person(one.account)}</h1>
<p class="muted">Installed ${when(one.createdAt)} on ${one.repositories === 'all' ? 'all repositories' : 'some repositories'}.</p>
<ul class="rows box">${repos.map((repo) => html`<li class="row"><a href="${links.repo(repo)}">${repo.owner.login}/${repo.name}</a></li>`)}</ul>
<h2>May</h2>${permissionTable(one.permissions)}`,
  );
}

function permissionTable(permissions: Readonly<Record<string, string>>): Piece {
  const rows = Object.entries(permissions);
  if (rows.length === 0) return html`<p class="muted">Nothing beyond reading metadata.</p>`;
  return html`<table class="cells"><tbody>${rows.map(([area, level]) => html`<tr><td>${area.replaceAll('_', ' ')}</td><td>${level}</td></tr>`)}</tbody></table>`;
}
