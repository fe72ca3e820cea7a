import { z } from 'zod';
import { repoAccess } from '../access.ts';
import { issueById, issuesOf } from '../issues/issue-index.ts';
import { addSubIssue, moveSubIssue, removeSubIssue } from '../issues/sub-issues.ts';
import { presentIssue } from '../present/issue.ts';
import type { Issue } from '../records/issue.ts';
import { created, notFound, ok, problem, type Reply, unprocessable } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { listedIssues, withBody, withIssue } from './handle.ts';

const NewChild = z.object({ sub_issue_id: z.number().int(), replace_parent: z.boolean().default(false) });
const OldChild = z.object({ sub_issue_id: z.number().int() });
const Moved = z.object({
  sub_issue_id: z.number().int(),
  after_id: z.number().int().optional(),
  before_id: z.number().int().optional(),
});

function add(ctx: Context, parent: Issue, body: z.infer<typeof NewChild>): Reply {
  const child = issueById(ctx.repo, body.sub_issue_id);
  if (!child) return problem(404, 'The provided sub-issue does not exist');
  const refused = addSubIssue(ctx.store, ctx.repo, ctx.actor, parent, child, body.replace_parent);
  if (refused !== null)
    return unprocessable(`An error occurred while adding the sub-issue to the parent issue. ${refused}`);
  return created(presentIssue(ctx.urls, ctx.repo, child));
}

function remove(ctx: Context, parent: Issue, id: number): Reply {
  const child = issueById(ctx.repo, id);
  if (!child || !removeSubIssue(ctx.store, ctx.repo, ctx.actor, parent, child))
    return problem(404, 'The provided sub-issue does not exist');
  return ok(presentIssue(ctx.urls, ctx.repo, child));
}

function move(ctx: Context, parent: Issue, body: z.infer<typeof Moved>): Reply {
  const moved = moveSubIssue(parent, body.sub_issue_id, { afterId: body.after_id, beforeId: body.before_id });
  if (!moved) return unprocessable('An error occurred while changing the priority of the sub-issue');
  return ok(presentIssue(ctx.urls, ctx.repo, parent));
}

function parent(ctx: Context, issue: Issue): Reply {
  const [found] = issuesOf(ctx.repo, issue.parentId === null ? [] : [issue.parentId]);
  return found ? ok(presentIssue(ctx.urls, ctx.repo, found)) : notFound();
}

const base = '/repos/{owner}/{repo}/issues/{issue_number}';
const read = repoAccess('issues:read');
const write = repoAccess('issues:write', 'triage');

export const subIssueRoutes: readonly Route[] = [
  {
    operationId: 'issues/list-sub-issues',
    method: 'GET',
    path: `${base}/sub_issues`,
    access: read,
    handler: withIssue((ctx, issue) => listedIssues(ctx, issuesOf(ctx.repo, issue.subIssues))),
  },
  {
    operationId: 'issues/get-parent',
    method: 'GET',
    path: `${base}/parent`,
    access: read,
    handler: withIssue(parent),
  },
  {
    operationId: 'issues/add-sub-issue',
    method: 'POST',
    path: `${base}/sub_issues`,
    access: write,
    handler: withBody(NewChild, (ctx, body) => withIssue((_, issue) => add(ctx, issue, body))(ctx)),
  },
  {
    operationId: 'issues/remove-sub-issue',
    method: 'DELETE',
    path: `${base}/sub_issue`,
    access: write,
    handler: withBody(OldChild, (ctx, body) =>
      withIssue((_, issue) => remove(ctx, issue, body.sub_issue_id))(ctx),
    ),
  },
  {
    operationId: 'issues/reprioritize-sub-issue',
    method: 'PATCH',
    path: `${base}/sub_issues/priority`,
    access: write,
    handler: withBody(Moved, (ctx, body) => withIssue((_, issue) => move(ctx, issue, body))(ctx)),
  },
];
