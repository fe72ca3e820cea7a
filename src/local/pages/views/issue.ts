import { issueById } from '../../issues/issue-index.ts';
import type { Issue } from '../../records/issue.ts';
import type { FormerIssue, Repo } from '../../records/repository.ts';
import type { Store } from '../../store.ts';
import { type Html, html, type Piece } from '../html.ts';
import { links } from '../links.ts';
import { type RepoVisit, repoPage, type View } from '../page.ts';
import { labelChip, person, stateBadge, stateSign } from '../parts/badges.ts';
import { commentBox } from '../parts/comment-box.ts';
import { when } from '../parts/time.ts';
import { timeline } from '../parts/timeline.ts';

/** `/issues/{n}`: text, timeline with comments, labels, dependencies, sub-issues. */
export function showIssue({ store, repo, params, path, query }: RepoVisit): View | null {
  const issue = repo.issues.get(Number(params.number));
  if (issue === undefined) return placeOfFormer(store, repo.formerIssues.get(Number(params.number)));
  if (issue.pull !== null) return { kind: 'moved', to: links.issue(repo, issue) };
  return repoPage(
    repo,
    'issues',
    `${issue.title} #${issue.number}`,
    html`${issueHead(issue, html`opened ${when(issue.createdAt)} by ${person(issue.user)}`)}
<div class="columns"><div class="wide-column">${openingText(repo, issue)}${timeline(repo, issue, path, query)}</div>
<aside>${labelSection(repo, issue)}${peopleSection(issue)}${relations(repo, issue)}</aside></div>`,
  );
}

/** A transferred issue is shown where it lives now; a deleted one nowhere. */
function placeOfFormer(store: Store, former: FormerIssue | undefined): View | null {
  const now = former?.kind === 'transferred' ? store.repos.get(former.repositoryId) : undefined;
  return now === undefined || former?.kind !== 'transferred'
    ? null
    : { kind: 'moved', to: links.number(now, former.number) };
}

export const issueHead = (issue: Issue, line: Piece): Html => html`<header class="head">
<h1><bdi>${issue.title}</bdi> <span class="muted">#${issue.number}</span></h1>
<p>${stateBadge(issue)} <span class="muted">${line}</span></p></header>`;

export const openingText = (repo: Repo, issue: Issue): Html =>
  commentBox(repo, {
    id: `issue-${issue.id}`,
    user: issue.user,
    app: issue.app,
    verb: 'wrote',
    at: issue.createdAt,
    editedAt: issue.lastEditedAt,
    body: issue.body,
  });

export function labelSection(repo: Repo, issue: Issue): Html {
  const list = issue.pull ? 'pulls' : 'issues';
  return section(
    'Labels',
    issue.labels.map(
      (label) =>
        html`${labelChip(label, links.within(repo, `${list}?label=${encodeURIComponent(label.name)}`))} `,
    ),
  );
}

export const peopleSection = (issue: Issue): Html =>
  section(
    'Assignees',
    issue.assignees.map((user) => html`${person(user)} `),
  );

function relations(repo: Repo, issue: Issue): Piece {
  const all = [...repo.issues.values()];
  const blockers = all.filter((other) => issue.blockedBy.has(other.id));
  const blocked = all.filter((other) => other.blockedBy.has(issue.id));
  const children = issue.subIssues.flatMap((id) => issueById(repo, id) ?? []);
  const parent = issue.parentId === null ? undefined : issueById(repo, issue.parentId);
  const done = children.filter((one) => one.state === 'closed').length;
  return [
    section('Blocked by', issueLines(repo, blockers)),
    blocked.length === 0 ? null : section('Blocking', issueLines(repo, blocked)),
    parent === undefined ? null : section('Parent', issueLines(repo, [parent])),
    children.length === 0
      ? null
      : section(`Sub-issues, ${done} of ${children.length} done`, issueLines(repo, children)),
  ];
}

const issueLines = (repo: Repo, issues: readonly Issue[]): Html[] =>
  issues.map(
    (one) =>
      html`<div class="related">${stateSign(one)}<a href="${links.issue(repo, one)}"><bdi>${one.title}</bdi> <span class="muted">#${one.number}</span></a></div>`,
  );

function section(title: string, inner: readonly Piece[]): Html {
  return html`<section class="fact"><h2>${title}</h2>${inner.length === 0 ? html`<p class="muted small">None</p>` : inner}</section>`;
}
