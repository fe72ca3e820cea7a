import { z } from 'zod';
import { repoAccess, roleAtLeast, roleOf } from '../access.ts';
import { createComment, deleteComment, editComment } from '../issues/comments.ts';
import { commentById, type PlacedComment, placedComments } from '../issues/issue-index.ts';
import { paginate } from '../paginate.ts';
import { presentComment } from '../present/issue.ts';
import type { Comment, Issue } from '../records/issue.ts';
import { created, forbidden, noContent, notFound, ok, type Reply } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { withBody, withIssue } from './handle.ts';
import { CommentBody } from './limits.ts';

const read = repoAccess(['issues:read', 'pull_requests:read']);
const write = repoAccess(['issues:write', 'pull_requests:write'], 'read');
const NewComment = z.object({ body: CommentBody });

const withComment =
  (handler: (ctx: Context, found: PlacedComment) => Reply) =>
  (ctx: Context): Reply => {
    const found = commentById(ctx.repo, Number(ctx.params.comment_id));
    return found ? handler(ctx, found) : notFound();
  };

/** Authors may change their comment, writers every one. */
const mayTouch = (ctx: Context, comment: Comment): boolean =>
  ctx.principal.kind !== 'user' ||
  comment.user === ctx.principal.user ||
  roleAtLeast(roleOf(ctx.repo, ctx.principal.user.id), 'write');

/**
 * A locked conversation is open to people who may write alone: apps and workflow tokens are refused, whatever their
 * permissions (probot/stale issue 25, renovate issue 6215, actions/stale issue 51). What they wrote before they may change.
 */
const mayTalk = (ctx: Context, issue: Issue): boolean =>
  !issue.locked ||
  (ctx.principal.kind === 'user' && roleAtLeast(roleOf(ctx.repo, ctx.principal.user.id), 'write'));

function create(ctx: Context, issue: Issue, body: string): Reply {
  if (!mayTalk(ctx, issue)) return forbidden('Unable to create comment because issue is locked.');
  const comment = createComment(ctx.store, ctx.repo, issue, ctx.actor, body);
  return created(presentComment(ctx.urls, ctx.repo, comment));
}

function update(ctx: Context, { issue, comment }: PlacedComment, body: string): Reply {
  if (!mayTouch(ctx, comment)) return forbidden();
  editComment(ctx.store, ctx.repo, issue, comment, ctx.actor, body);
  return ok(presentComment(ctx.urls, ctx.repo, comment));
}

const since = (ctx: Context): number => Date.parse(ctx.query.get('since') ?? '') || 0;

const base = '/repos/{owner}/{repo}/issues';
const one = `${base}/comments/{comment_id}`;

export const commentRoutes: readonly Route[] = [
  {
    operationId: 'issues/list-comments',
    method: 'GET',
    path: `${base}/{issue_number}/comments`,
    access: read,
    handler: withIssue((ctx, issue) => {
      const all = issue.comments.filter((comment) => comment.updatedAt >= since(ctx));
      const { items, headers } = paginate(ctx, all);
      return ok(
        items.map((comment) => presentComment(ctx.urls, ctx.repo, comment)),
        headers,
      );
    }),
  },
  {
    operationId: 'issues/list-comments-for-repo',
    method: 'GET',
    path: `${base}/comments`,
    access: read,
    handler: (ctx) => {
      const all = [...placedComments(ctx.repo)].map((one) => one.comment);
      const fresh = all.filter((comment) => comment.updatedAt >= since(ctx)).sort((a, b) => a.id - b.id);
      const { items, headers } = paginate(ctx, fresh);
      return ok(
        items.map((comment) => presentComment(ctx.urls, ctx.repo, comment)),
        headers,
      );
    },
  },
  {
    operationId: 'issues/create-comment',
    method: 'POST',
    path: `${base}/{issue_number}/comments`,
    access: write,
    content: true,
    handler: withBody(
      NewComment,
      (ctx, body) => withIssue((_, issue) => create(ctx, issue, body.body))(ctx),
      'IssueComment',
    ),
  },
  {
    operationId: 'issues/get-comment',
    method: 'GET',
    path: one,
    access: read,
    handler: withComment((ctx, { comment }) => ok(presentComment(ctx.urls, ctx.repo, comment))),
  },
  {
    operationId: 'issues/update-comment',
    method: 'PATCH',
    path: one,
    access: write,
    handler: withBody(
      NewComment,
      (ctx, body) => withComment((_, found) => update(ctx, found, body.body))(ctx),
      'IssueComment',
    ),
  },
  {
    operationId: 'issues/delete-comment',
    method: 'DELETE',
    path: one,
    access: write,
    handler: withComment((ctx, { issue, comment }) => {
      if (!mayTouch(ctx, comment)) return forbidden();
      deleteComment(ctx.store, ctx.repo, issue, comment, ctx.actor);
      return noContent();
    }),
  },
];
