import type { PullIssue } from '../../present/pull.ts';
import type { Repo } from '../../records/repository.ts';
import { type Html, html } from '../html.ts';
import { links } from '../links.ts';

/** Ways between the pages of one pull request. */
export function pullTabs(repo: Repo, issue: PullIssue, current: 'conversation' | 'commits' | 'files'): Html {
  const base = links.issue(repo, issue);
  const tab = (name: typeof current, label: string, href: string): Html =>
    html`<a href="${href}"${name === current ? html` aria-current="page"` : null}>${label}</a>`;
  return html`<nav class="filter" aria-label="Pull request">${tab('conversation', 'Conversation', base)}${tab('commits', 'Commits', `${base}/commits`)}${tab('files', 'Files', `${base}/files`)}</nav>`;
}
