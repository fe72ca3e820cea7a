import type { Issue, TimelineEvent } from '../../records/issue.ts';
import type { Repo } from '../../records/repository.ts';
import { type Html, html, type Piece } from '../html.ts';
import { links } from '../links.ts';
import { labelChip, person, stateSign } from './badges.ts';
import { commentBox } from './comment-box.ts';
import { cutPage, cutPager } from './paging.ts';
import { when } from './time.ts';

const PER_PAGE = 100;

/** An issue's history, a page of it: comments and reviews as boxes, everything else as one line each. */
export function timeline(repo: Repo, issue: Issue, path: string, query: URLSearchParams): Html {
  const cut = cutPage(issue.timeline, query, PER_PAGE);
  const pager = cutPager(path, query, cut);
  return html`<div class="timeline">${pager}${cut.items.map((event) => entry(repo, event))}${pager}</div>`;
}

function entry(repo: Repo, event: TimelineEvent): Html {
  const { comment, review } = event;
  if (comment !== undefined)
    return commentBox(repo, {
      id: `issuecomment-${comment.id}`,
      user: comment.user,
      app: comment.app,
      verb: 'commented',
      at: comment.createdAt,
      editedAt: comment.lastEditedAt,
      body: comment.body,
    });
  if (review !== undefined)
    return commentBox(repo, {
      id: `pullrequestreview-${review.id}`,
      user: review.user,
      app: review.app,
      verb: html`${REVIEW_WORDS[review.state] ?? 'reviewed'} ${shortLink(repo, review.commitId)}`,
      at: review.submittedAt,
      editedAt: review.lastEditedAt,
      body: review.body,
    });
  return html`<p class="event">${person(event.actor)} ${sentence(repo, event)} <span class="muted">${when(event.createdAt)}</span></p>`;
}

const REVIEW_WORDS: Readonly<Record<string, string>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'requested changes on',
  COMMENTED: 'reviewed',
  DISMISSED: 'reviewed (dismissed)',
  PENDING: 'began to review',
};

const WORDS: Readonly<Record<string, string>> = {
  reopened: 'reopened this',
  locked: 'locked the conversation',
  unlocked: 'unlocked the conversation',
  head_ref_deleted: 'deleted the head branch',
  head_ref_restored: 'restored the head branch',
  convert_to_draft: 'made this a draft',
  ready_for_review: 'made this ready for review',
};

function sentence(repo: Repo, event: TimelineEvent): Piece {
  const { label, rename, commitId, sourceNumber } = event;
  if (label !== undefined)
    return html`${event.event === 'labeled' ? 'added' : 'removed'} ${labelChip(label)}`;
  if (rename !== undefined)
    return html`changed the title from <del><bdi>${rename.from}</bdi></del> to <bdi>${rename.to}</bdi>`;
  if (sourceNumber !== undefined) return html`mentioned this in ${mention(repo, sourceNumber)}`;
  const at = commitId ? html` in ${shortLink(repo, commitId)}` : null;
  if (event.event === 'closed')
    return html`closed this${event.stateReason === 'not_planned' ? ' as not planned' : null}${at}`;
  if (event.event === 'merged') return html`merged this${at}`;
  if (event.event === 'head_ref_force_pushed') return html`force-pushed the head${at}`;
  return html`${WORDS[event.event] ?? event.event.replaceAll('_', ' ')}${at}`;
}

function mention(repo: Repo, number: number): Html {
  const source = repo.issues.get(number);
  if (source === undefined) return html`#${number}`;
  return html`${stateSign(source)} <a href="${links.issue(repo, source)}"><bdi>${source.title}</bdi> <span class="muted">#${number}</span></a>`;
}

export const shortLink = (repo: Repo, oid: string): Html =>
  html`<a class="oid" href="${links.commit(repo, oid)}">${oid.slice(0, 7)}</a>`;
