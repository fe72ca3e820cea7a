import type { Repo } from '../records/repository.ts';
import { type Html, html } from './html.ts';
import { links } from './links.ts';
import type { Tab, View } from './page.ts';

export const STYLE_PATH = '/_pages/style.css';

/** A whole document: frame, navigation, body. No script, no inline style, nothing from elsewhere. */
export function layout(view: Extract<View, { kind: 'page' }>): string {
  return `<!doctype html>\n${html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${view.title}</title>
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top"><div class="bar">
<a class="home" href="/">local github</a>${view.repo ? crumbs(view.repo) : null}
</div>${view.repo ? tabs(view.repo, view.tab) : null}</header>
<main id="main">
${view.body}
</main>
<footer>An imitation of GitHub on this machine, for trying things. Pages only show; the API and git change.</footer>
</body>
</html>
`}`;
}

function crumbs(repo: Repo): Html {
  return html`<span class="sep">/</span><a href="${links.account(repo.owner.login)}">${repo.owner.login}</a><span class="sep">/</span><a class="repo" href="${links.repo(repo)}">${repo.name}</a>${repo.private ? html`<span class="pill">private</span>` : null}${repo.archived ? html`<span class="pill">archived</span>` : null}`;
}

function tabs(repo: Repo, current: Tab | undefined): Html {
  const all = [...repo.issues.values()];
  const open = (pulls: boolean): number =>
    all.filter((issue) => issue.state === 'open' && (issue.pull !== null) === pulls).length;
  const tab = (name: Tab, label: string, path: string, count?: number): Html =>
    html`<a href="${path}"${name === current ? html` aria-current="page"` : null}>${label}${count === undefined ? null : html` <span class="count">${count}</span>`}</a>`;
  return html`<nav class="tabs" aria-label="Repository">${[
    tab('code', 'Code', links.repo(repo)),
    tab('issues', 'Issues', links.within(repo, 'issues'), open(false)),
    tab('pulls', 'Pull requests', links.within(repo, 'pulls'), open(true)),
    tab('actions', 'Actions', links.within(repo, 'actions')),
    tab('commits', 'Commits', links.commits(repo, repo.defaultBranch)),
    tab('branches', 'Branches', links.within(repo, 'branches')),
    tab('rules', 'Rules', links.within(repo, 'settings/rules')),
  ]}</nav>`;
}
