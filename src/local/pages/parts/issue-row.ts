import type { Issue } from '../../records/issue.ts';
import type { Repo } from '../../records/repository.ts';
import { type Html, html } from '../html.ts';
import { links } from '../links.ts';
import { labelChip, person, stateSign } from './badges.ts';
import { when } from './time.ts';

/** One line of a list of issues or pull requests. */
export function issueRow(repo: Repo, issue: Issue): Html {
  const comments = issue.comments.length;
  return html`<li class="row">${stateSign(issue)}<div class="grow">
<a class="title" href="${links.issue(repo, issue)}"><bdi>${issue.title}</bdi></a> ${issue.labels.map((label) => html`${labelChip(label)} `)}
<div class="muted small">#${issue.number} opened ${when(issue.createdAt)} by ${person(issue.user)}</div>
</div>${comments > 0 ? html`<a class="muted small side" href="${links.issue(repo, issue)}">${comments} ${comments === 1 ? 'comment' : 'comments'}</a>` : null}</li>`;
}
