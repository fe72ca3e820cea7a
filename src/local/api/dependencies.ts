import { z } from 'zod';
import { repoAccess } from '../access.ts';
import { addDependency, removeDependency } from '../issues/dependencies.ts';
import { issueById, issuesOf } from '../issues/issue-index.ts';
import { presentIssue } from '../present/issue.ts';
import type { Issue } from '../records/issue.ts';
import { created, notFound, ok, type Reply, unprocessable } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { listedIssues, withBody, withIssue } from './handle.ts';

const NewEdge = z.object({ issue_id: z.number().int() });

function add(ctx: Context, issue: Issue, id: number): Reply {
  const blocker = issueById(ctx.repo, id);
  if (!blocker) return notFound();
  const refused = addDependency(ctx.store, ctx.repo, ctx.actor, issue, blocker);
  return refused === null ? created(presentIssue(ctx.urls, ctx.repo, issue)) : unprocessable(refused);
}

function remove(ctx: Context, issue: Issue): Reply {
  const blocker = issueById(ctx.repo, Number(ctx.params.issue_id));
  if (!blocker || !removeDependency(ctx.store, ctx.repo, ctx.actor, issue, blocker)) return notFound();
  return ok(presentIssue(ctx.urls, ctx.repo, issue));
}

const base = '/repos/{owner}/{repo}/issues/{issue_number}/dependencies';
const read = repoAccess('issues:read');
const write = repoAccess('issues:write', 'triage');

export const dependencyRoutes: readonly Route[] = [
  {
    operationId: 'issues/list-dependencies-blocked-by',
    method: 'GET',
    path: `${base}/blocked_by`,
    access: read,
    handler: withIssue((ctx, issue) => listedIssues(ctx, issuesOf(ctx.repo, issue.blockedBy))),
  },
  {
    operationId: 'issues/list-dependencies-blocking',
    method: 'GET',
    path: `${base}/blocking`,
    access: read,
    handler: withIssue((ctx, issue) => listedIssues(ctx, issuesOf(ctx.repo, issue.blocking))),
  },
  {
    operationId: 'issues/add-blocked-by-dependency',
    method: 'POST',
    path: `${base}/blocked_by`,
    access: write,
    handler: withBody(NewEdge, (ctx, body) => withIssue((_, issue) => add(ctx, issue, body.issue_id))(ctx)),
  },
  {
    operationId: 'issues/remove-dependency-blocked-by',
    method: 'DELETE',
    path: `${base}/blocked_by/{issue_id}`,
    access: write,
    handler: withIssue(remove),
  },
];
