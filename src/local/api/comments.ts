import { z } from 'zod';
import { repoAccess, roleAtLeast, roleOf } from '../access.ts';
import { createComment, deleteComment, editComment } from '../issues/comments.ts';
import { paginate } from '../paginate.ts';
import { presentComment } from '../present/issue.ts';
import type { Comment, Issue } from '../records/issue.ts';
import { created, forbidden, noContent, notFound, ok, type Reply } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { withBody, withIssue } from './handle.ts';
import { Body } from './limits.ts';

const read = repoAccess(['issues:read', 'pull_requests:read']);
const write = repoAccess(['issues:write', 'pull_requests:write'], 'read');
const NewComment = z.object({ body: Body.min(1) });

type Found = { readonly issue: Issue; readonly comment: Comment };

function find(ctx: Context): Found | null {
  const id = Number(ctx.params.comment_id);
  for (const issue of ctx.repo.issues.values()) {
    const comment = issue.comments.find((one) => one.id === id);
    if (comment) return { issue, comment };
  }
  return null;
}

const withComment =
  (handler: (ctx: Context, found: Found) => Reply) =>
  (ctx: Context): Reply => {
    const found = find(ctx);
    return found ? handler(ctx, found) : notFound();
  };

/** Authors may change their comment, writers every one. */
const mayTouch = (ctx: Context, comment: Comment): boolean =>
  ctx.principal.kind !== 'user' ||
  comment.user === ctx.principal.user ||
  roleAtLeast(roleOf(ctx.repo, ctx.principal.user.id), 'write');

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
      const all = [...ctx.repo.issues.values()].flatMap((issue) => issue.comments);
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
    handler: withBody(NewComment, (ctx, body) =>
      withIssue((_, issue) => {
        const comment = createComment(ctx.store, ctx.repo, issue, ctx.actor, body.body);
        return created(presentComment(ctx.urls, ctx.repo, comment));
      })(ctx),
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
    handler: withBody(NewComment, (ctx, body) =>
      withComment((_, { issue, comment }) => {
        if (!mayTouch(ctx, comment)) return forbidden();
        editComment(ctx.store, ctx.repo, issue, comment, ctx.actor, body.body);
        return ok(presentComment(ctx.urls, ctx.repo, comment));
      })(ctx),
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
