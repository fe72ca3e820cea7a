import { z } from 'zod';
import { repoAccess } from '../access.ts';
import { isOid } from '../git/oid.ts';
import { record } from '../issues/timeline.ts';
import { nodeId } from '../node-id.ts';
import { paginate } from '../paginate.ts';
import { type PullIssue, presentPullSimple } from '../present/pull.ts';
import { presentReview } from '../present/review.ts';
import type { Review } from '../records/issue.ts';
import { invalid, notFound, ok, type Reply, unprocessable } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { emitWebhook } from '../webhooks/emit.ts';
import { withBody, withPull } from './handle.ts';
import { Body } from './limits.ts';

const STATES = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;

const NewReview = z.object({
  commit_id: z.string().optional(),
  body: Body.optional(),
  event: z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']).optional(),
});
const ChangedReview = z.object({ body: Body });

function create(ctx: Context, issue: PullIssue, body: z.infer<typeof NewReview>): Reply {
  const { event } = body;
  if (event !== 'COMMENT' && event !== undefined && ctx.actor.user === issue.user)
    return unprocessable(
      `Review Can not ${event === 'APPROVE' ? 'approve' : 'request changes on'} your own pull request`,
    );
  if ((event === 'REQUEST_CHANGES' || event === 'COMMENT') && !body.body)
    return invalid({ resource: 'PullRequestReview', field: 'body', code: 'missing_field' });
  if (body.commit_id !== undefined && !isOid(body.commit_id))
    return unprocessable('Commit_id is not part of the pull request');
  const id = ctx.store.nextId('review');
  const review: Review = {
    id,
    nodeId: nodeId('PRR', id),
    user: ctx.actor.user,
    app: ctx.actor.app,
    body: body.body ?? '',
    state: event ? STATES[event] : 'PENDING',
    commitId: body.commit_id ?? issue.pull.headSha,
    submittedAt: ctx.store.now(),
    lastEditedAt: null,
  };
  issue.pull.reviews.push(review);
  if (event) tell(ctx, issue, review, 'submitted');
  return ok(presentReview(ctx.urls, ctx.repo, issue, review));
}

function tell(ctx: Context, issue: PullIssue, review: Review, action: string): void {
  const { store, repo, actor } = ctx;
  if (action === 'submitted') record(store, issue, actor, 'reviewed', { review });
  const shown = presentReview(ctx.urls, repo, issue, review);
  const body = {
    review: { ...shown, state: review.state.toLowerCase() },
    pull_request: presentPullSimple(ctx.urls, repo, issue),
    ...(action === 'edited' ? { changes: {} } : {}),
  };
  emitWebhook(store, { event: 'pull_request_review', action, repo, actor, body });
}

function update(ctx: Context, issue: PullIssue, body: z.infer<typeof ChangedReview>): Reply {
  const review = issue.pull.reviews.find((one) => one.id === Number(ctx.params.review_id));
  if (!review) return notFound();
  review.body = body.body;
  review.lastEditedAt = ctx.store.now();
  tell(ctx, issue, review, 'edited');
  return ok(presentReview(ctx.urls, ctx.repo, issue, review));
}

const base = '/repos/{owner}/{repo}/pulls/{pull_number}/reviews';
const write = repoAccess('pull_requests:write', 'read');

export const reviewRoutes: readonly Route[] = [
  {
    operationId: 'pulls/list-reviews',
    method: 'GET',
    path: base,
    access: repoAccess('pull_requests:read'),
    handler: withPull((ctx, issue) => {
      const { items, headers } = paginate(ctx, issue.pull.reviews);
      return ok(
        items.map((review) => presentReview(ctx.urls, ctx.repo, issue, review)),
        headers,
      );
    }),
  },
  {
    operationId: 'pulls/create-review',
    method: 'POST',
    path: base,
    access: write,
    content: true,
    handler: withBody(NewReview, (ctx, body) => withPull((_, issue) => create(ctx, issue, body))(ctx)),
  },
  {
    operationId: 'pulls/update-review',
    method: 'PUT',
    path: `${base}/{review_id}`,
    access: write,
    handler: withBody(ChangedReview, (ctx, body) => withPull((_, issue) => update(ctx, issue, body))(ctx)),
  },
];
