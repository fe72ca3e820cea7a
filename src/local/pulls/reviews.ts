import { record } from '../issues/timeline.ts';
import { nodeId } from '../node-id.ts';
import { presentPullSimple } from '../present/pull.ts';
import { presentReview } from '../present/review.ts';
import type { Actor } from '../principal.ts';
import type { Review } from '../records/issue.ts';
import type { PullIssue } from '../records/pull-issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { emitWebhook } from '../webhooks/emit.ts';

export type ReviewEvent = 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT';

const STATES = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;

/** Begins a review of one commit: pending until it is submitted, which `event` does at once. */
export function createReview(
  store: Store,
  repo: Repo,
  issue: PullIssue,
  actor: Actor,
  input: { readonly body: string; readonly commitId: string; readonly event: ReviewEvent | undefined },
): Review {
  const id = store.nextId('review');
  const review: Review = {
    id,
    nodeId: nodeId('PRR', id),
    user: actor.user,
    app: actor.app,
    body: input.body,
    state: 'PENDING',
    commitId: input.commitId,
    submittedAt: store.now(),
    lastEditedAt: null,
  };
  issue.pull.reviews.push(review);
  if (input.event) submitReview(store, repo, issue, actor, review, input.event);
  return review;
}

/** Makes a pending review known to others. */
export function submitReview(
  store: Store,
  repo: Repo,
  issue: PullIssue,
  actor: Actor,
  review: Review,
  event: ReviewEvent,
): void {
  review.state = STATES[event];
  review.submittedAt = store.now();
  record(store, issue, actor, 'reviewed', { review });
  tell(store, repo, issue, actor, review, 'submitted');
}

export function editReview(
  store: Store,
  repo: Repo,
  issue: PullIssue,
  actor: Actor,
  review: Review,
  body: string,
): void {
  review.body = body;
  review.lastEditedAt = store.now();
  tell(store, repo, issue, actor, review, 'edited');
}

/** Takes the weight from an approval or a request for changes; it stays to be read. */
export function dismissReview(
  store: Store,
  repo: Repo,
  issue: PullIssue,
  actor: Actor,
  review: Review,
): void {
  review.state = 'DISMISSED';
  record(store, issue, actor, 'review_dismissed');
  tell(store, repo, issue, actor, review, 'dismissed');
}

function tell(
  store: Store,
  repo: Repo,
  issue: PullIssue,
  actor: Actor,
  review: Review,
  action: 'submitted' | 'edited' | 'dismissed',
): void {
  const shown = presentReview(store.urls, repo, issue, review);
  const body = {
    review: { ...shown, state: review.state.toLowerCase() },
    pull_request: presentPullSimple(store.urls, repo, issue),
    ...(action === 'edited' ? { changes: {} } : {}),
  };
  emitWebhook(store, { event: 'pull_request_review', action, repo, actor, body });
}
