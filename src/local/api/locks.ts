import { z } from 'zod';
import { repoAccess } from '../access.ts';
import { record } from '../issues/timeline.ts';
import type { Issue } from '../records/issue.ts';
import { noContent, type Reply } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { emitIssue } from '../webhooks/emit.ts';
import { withBody, withIssue } from './handle.ts';

const Lock = z.object({ lock_reason: z.enum(['off-topic', 'too heated', 'resolved', 'spam']).optional() });

function setLocked(ctx: Context, issue: Issue, locked: boolean, reason: Issue['lockReason']): Reply {
  if (issue.locked === locked) return noContent();
  issue.locked = locked;
  issue.lockReason = reason;
  const action = locked ? 'locked' : 'unlocked';
  record(ctx.store, issue, ctx.actor, action);
  emitIssue(ctx.store, ctx.repo, issue, ctx.actor, action);
  return noContent();
}

const path = '/repos/{owner}/{repo}/issues/{issue_number}/lock';
const write = repoAccess(['issues:write', 'pull_requests:write'], 'write');

/** Conversations closed to everybody who may not write. */
export const lockRoutes: readonly Route[] = [
  {
    operationId: 'issues/lock',
    method: 'PUT',
    path,
    access: write,
    handler: withBody(Lock, (ctx, body) =>
      withIssue((_, issue) => setLocked(ctx, issue, true, body.lock_reason ?? null))(ctx),
    ),
  },
  {
    operationId: 'issues/unlock',
    method: 'DELETE',
    path,
    access: write,
    handler: withIssue((ctx, issue) => setLocked(ctx, issue, false, null)),
  },
];
