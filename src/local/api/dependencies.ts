import { z } from 'zod';
import { repoAccess } from '../access.ts';
import { paginate } from '../paginate.ts';
import { presentIssue } from '../present/issue.ts';
import { presentRepository } from '../present/repository.ts';
import type { Issue } from '../records/issue.ts';
import { created, notFound, ok, type Reply, unprocessable } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { emitWebhook } from '../webhooks/emit.ts';
import { withBody, withIssue } from './handle.ts';

/** GitHub's limit per direction. */
const MAX_EDGES = 50;

const NewEdge = z.object({ issue_id: z.number().int() });

const byId = (ctx: Context, id: number): Issue | undefined =>
  [...ctx.repo.issues.values()].find((issue) => issue.id === id);

const blockers = (ctx: Context, issue: Issue): Issue[] =>
  [...issue.blockedBy].flatMap((id) => byId(ctx, id) ?? []);

function listed(ctx: Context, issues: readonly Issue[]): Reply {
  const { items, headers } = paginate(ctx, issues);
  return ok(
    items.map((issue) => presentIssue(ctx.urls, ctx.repo, issue)),
    headers,
  );
}

function add(ctx: Context, issue: Issue, id: number): Reply {
  const blocker = byId(ctx, id);
  if (!blocker) return notFound();
  if (blocker === issue) return unprocessable('An issue cannot be blocked by itself');
  if (issue.blockedBy.has(id)) return unprocessable('Target issue has already been taken');
  if (issue.blockedBy.size >= MAX_EDGES) return unprocessable('An issue can be blocked by at most 50 issues');
  issue.blockedBy.add(id);
  tell(ctx, issue, blocker, 'added');
  return created(presentIssue(ctx.urls, ctx.repo, issue));
}

function remove(ctx: Context, issue: Issue): Reply {
  const blocker = byId(ctx, Number(ctx.params.issue_id));
  if (!blocker || !issue.blockedBy.delete(blocker.id)) return notFound();
  tell(ctx, issue, blocker, 'removed');
  return ok(presentIssue(ctx.urls, ctx.repo, issue));
}

/** GitHub raises both directions. The payload needs an organization, so personal repositories raise none. */
function tell(ctx: Context, blocked: Issue, blocking: Issue, change: 'added' | 'removed'): void {
  const { store, repo, actor } = ctx;
  blocked.updatedAt = store.now();
  if (repo.owner.type !== 'Organization') return;
  const body = {
    blocked_issue_id: blocked.id,
    blocked_issue: presentIssue(ctx.urls, repo, blocked),
    blocking_issue_id: blocking.id,
    blocking_issue: presentIssue(ctx.urls, repo, blocking),
  };
  const small = presentRepository(ctx.urls, repo);
  const event = 'issue_dependencies';
  emitWebhook(store, {
    event,
    action: `blocked_by_${change}`,
    repo,
    actor,
    body: { ...body, blocking_issue_repo: small },
  });
  emitWebhook(store, {
    event,
    action: `blocking_${change}`,
    repo,
    actor,
    body: { ...body, blocked_issue_repo: small },
  });
}

const base = '/repos/{owner}/{repo}/issues/{issue_number}/dependencies';
const write = repoAccess('issues:write', 'triage');

export const dependencyRoutes: readonly Route[] = [
  {
    operationId: 'issues/list-dependencies-blocked-by',
    method: 'GET',
    path: `${base}/blocked_by`,
    access: repoAccess('issues:read'),
    handler: withIssue((ctx, issue) => listed(ctx, blockers(ctx, issue))),
  },
  {
    operationId: 'issues/list-dependencies-blocking',
    method: 'GET',
    path: `${base}/blocking`,
    access: repoAccess('issues:read'),
    handler: withIssue((ctx, issue) =>
      listed(
        ctx,
        [...ctx.repo.issues.values()].filter((other) => other.blockedBy.has(issue.id)),
      ),
    ),
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
