import { z } from 'zod';
import { repoAccess } from '../access.ts';
import { statusesOn } from '../checks/check-index.ts';
import { isOid } from '../git/oid.ts';
import { resolveCommit } from '../git/resolve.ts';
import { iso } from '../iso.ts';
import { nodeId } from '../node-id.ts';
import { paginate } from '../paginate.ts';
import { presentMinimalRepository } from '../present/repository.ts';
import { presentUser } from '../present/user.ts';
import type { CommitStatus } from '../records/check.ts';
import { created, notFound, ok, type Reply, unprocessable } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { withBody } from './handle.ts';

const NewStatus = z.object({
  state: z.enum(['error', 'failure', 'pending', 'success']),
  target_url: z.string().nullish(),
  description: z.string().max(140).nullish(),
  context: z.string().default('default'),
});

const present = (ctx: Context, status: CommitStatus) => ({
  url: `${ctx.urls.repoApi(ctx.repo)}/statuses/${status.sha}`,
  avatar_url: presentUser(ctx.urls, status.creator).avatar_url,
  id: status.id,
  node_id: status.nodeId,
  state: status.state,
  description: status.description,
  target_url: status.targetUrl,
  context: status.context,
  created_at: iso(status.createdAt),
  updated_at: iso(status.createdAt),
});

const full = (ctx: Context, status: CommitStatus) => ({
  ...present(ctx, status),
  creator: presentUser(ctx.urls, status.creator),
});

async function create(ctx: Context, body: z.infer<typeof NewStatus>): Promise<Reply> {
  const sha = ctx.params.sha ?? '';
  if (!isOid(sha) || !(await ctx.repo.git.object(sha)))
    return unprocessable(`No commit found for SHA: ${sha}`);
  const id = ctx.store.nextId('status');
  const status: CommitStatus = {
    id,
    nodeId: nodeId('SC', id),
    sha,
    state: body.state,
    context: body.context,
    description: body.description ?? null,
    targetUrl: body.target_url ?? null,
    creator: ctx.actor.user,
    createdAt: ctx.store.now(),
  };
  ctx.repo.statuses.push(status);
  return created(full(ctx, status));
}

async function onRef(ctx: Context, answer: (sha: string, statuses: CommitStatus[]) => Reply): Promise<Reply> {
  const sha = await resolveCommit(ctx.repo.git, ctx.params.ref ?? '');
  if (!sha) return notFound();
  return answer(sha, [...statusesOn(ctx.repo, sha)].reverse());
}

function combined(ctx: Context, sha: string, statuses: readonly CommitStatus[]): Reply {
  const newest = [...new Map([...statuses].reverse().map((status) => [status.context, status])).values()];
  const bad = newest.some((status) => status.state === 'failure' || status.state === 'error');
  const good = newest.length > 0 && newest.every((status) => status.state === 'success');
  const url = `${ctx.urls.repoApi(ctx.repo)}/commits/${sha}`;
  return ok({
    state: bad ? 'failure' : good ? 'success' : 'pending',
    statuses: newest.map((status) => present(ctx, status)),
    sha,
    total_count: newest.length,
    repository: presentMinimalRepository(ctx.urls, ctx.repo),
    commit_url: url,
    url: `${url}/status`,
  });
}

const base = '/repos/{owner}/{repo}';
const read = repoAccess('statuses:read');

export const statusRoutes: readonly Route[] = [
  {
    operationId: 'repos/create-commit-status',
    method: 'POST',
    path: `${base}/statuses/{sha}`,
    access: repoAccess('statuses:write'),
    handler: withBody(NewStatus, create),
  },
  {
    operationId: 'repos/list-commit-statuses-for-ref',
    method: 'GET',
    path: `${base}/commits/{ref}/statuses`,
    access: read,
    handler: (ctx) =>
      onRef(ctx, (_, statuses) => {
        const { items, headers } = paginate(ctx, statuses);
        return ok(
          items.map((status) => full(ctx, status)),
          headers,
        );
      }),
  },
  {
    operationId: 'repos/get-combined-status-for-ref',
    method: 'GET',
    path: `${base}/commits/{ref}/status`,
    access: read,
    handler: (ctx) => onRef(ctx, (sha, statuses) => combined(ctx, sha, statuses)),
  },
];
