import { z } from 'zod';
import { repoAccess } from '../access.ts';
import { isOid } from '../git/oid.ts';
import { paginate } from '../paginate.ts';
import type { PullIssue } from '../present/pull.ts';
import { presentReview } from '../present/review.ts';
import { createReview, dismissReview, editReview, type ReviewEvent, submitReview } from '../pulls/reviews.ts';
import type { Review } from '../records/issue.ts';
import { invalid, notFound, ok, type Reply, unprocessable } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { withBody, withPull } from './handle.ts';
import { Body } from './limits.ts';

const Event = z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']);
const NewReview = z.object({
  commit_id: z.string().optional(),
  body: Body.optional(),
  event: Event.optional(),
});
const ChangedReview = z.object({ body: Body });
const Submission = z.object({ body: Body.optional(), event: Event });
const Dismissal = z.object({ message: z.string().min(1), event: z.literal('DISMISS').optional() });

/** Why a review may not say this: one's own pull request, or nothing to read. */
function objection(ctx: Context, issue: PullIssue, event: ReviewEvent, body: string): Reply | null {
  if (event !== 'COMMENT' && ctx.actor.user === issue.user)
    return unprocessable(
      `Review Can not ${event === 'APPROVE' ? 'approve' : 'request changes on'} your own pull request`,
    );
  if (event !== 'APPROVE' && body === '')
    return invalid({ resource: 'PullRequestReview', field: 'body', code: 'missing_field' });
  return null;
}

const shown = (ctx: Context, issue: PullIssue, review: Review): Reply =>
  ok(presentReview(ctx.urls, ctx.repo, issue, review));

function create(ctx: Context, issue: PullIssue, body: z.infer<typeof NewReview>): Reply {
  const text = body.body ?? '';
  const refused = body.event ? objection(ctx, issue, body.event, text) : null;
  if (refused) return refused;
  if (body.commit_id !== undefined && !isOid(body.commit_id))
    return unprocessable('Commit_id is not part of the pull request');
  const review = createReview(ctx.store, ctx.repo, issue, ctx.actor, {
    body: text,
    commitId: body.commit_id ?? issue.pull.headSha,
    event: body.event,
  });
  return shown(ctx, issue, review);
}

/** Finds the review of the path; a pending one is its author's alone. */
const withReview = (handler: (ctx: Context, issue: PullIssue, review: Review) => Reply) =>
  withPull((ctx, issue) => {
    const review = issue.pull.reviews.find((one) => one.id === Number(ctx.params.review_id));
    return review && isVisible(ctx, review) ? handler(ctx, issue, review) : notFound();
  });

function isVisible(ctx: Context, review: Review): boolean {
  if (review.state !== 'PENDING') return true;
  const { principal } = ctx;
  return principal.kind === 'user'
    ? principal.user === review.user
    : principal.kind !== 'anonymous' && principal.app === review.app;
}

function update(ctx: Context, issue: PullIssue, review: Review, body: string): Reply {
  editReview(ctx.store, ctx.repo, issue, ctx.actor, review, body);
  return shown(ctx, issue, review);
}

function submit(ctx: Context, issue: PullIssue, review: Review, body: z.infer<typeof Submission>): Reply {
  if (review.state !== 'PENDING') return unprocessable('Can not submit a review that is not pending');
  review.body = body.body ?? review.body;
  const refused = objection(ctx, issue, body.event, review.body);
  if (refused) return refused;
  submitReview(ctx.store, ctx.repo, issue, ctx.actor, review, body.event);
  return shown(ctx, issue, review);
}

function dismiss(ctx: Context, issue: PullIssue, review: Review): Reply {
  if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED')
    return unprocessable(`Can not dismiss a ${review.state.toLowerCase()} pull request review`);
  dismissReview(ctx.store, ctx.repo, issue, ctx.actor, review);
  return shown(ctx, issue, review);
}

const base = '/repos/{owner}/{repo}/pulls/{pull_number}/reviews';
const read = repoAccess('pull_requests:read');
const write = repoAccess('pull_requests:write', 'read');

export const reviewRoutes: readonly Route[] = [
  {
    operationId: 'pulls/list-reviews',
    method: 'GET',
    path: base,
    access: read,
    handler: withPull((ctx, issue) => {
      const visible = issue.pull.reviews.filter((review) => isVisible(ctx, review));
      const { items, headers } = paginate(ctx, visible);
      return ok(
        items.map((review) => presentReview(ctx.urls, ctx.repo, issue, review)),
        headers,
      );
    }),
  },
  {
    operationId: 'pulls/get-review',
    method: 'GET',
    path: `${base}/{review_id}`,
    access: read,
    handler: withReview(shown),
  },
  {
    operationId: 'pulls/create-review',
    method: 'POST',
    path: base,
    access: write,
    content: true,
    handler: withBody(
      NewReview,
      (ctx, body) => withPull((_, issue) => create(ctx, issue, body))(ctx),
      'PullRequestReview',
    ),
  },
  {
    operationId: 'pulls/update-review',
    method: 'PUT',
    path: `${base}/{review_id}`,
    access: write,
    handler: withBody(ChangedReview, (ctx, body) =>
      withReview((_, issue, review) => update(ctx, issue, review, body.body))(ctx),
    ),
  },
  {
    operationId: 'pulls/submit-review',
    method: 'POST',
    path: `${base}/{review_id}/events`,
    access: write,
    handler: withBody(Submission, (ctx, body) =>
      withReview((_, issue, review) => submit(ctx, issue, review, body))(ctx),
    ),
  },
  {
    operationId: 'pulls/dismiss-review',
    method: 'PUT',
    path: `${base}/{review_id}/dismissals`,
    access: repoAccess('pull_requests:write'),
    handler: withBody(Dismissal, (ctx) => withReview(dismiss)(ctx)),
  },
];
