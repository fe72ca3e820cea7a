import { z } from 'zod';
import { repoAccess, roleAtLeast, roleOf } from '../access.ts';
import type { ActionsParts } from '../actions/actions-routes.ts';
import { presentPending, presentReview, presentReviewedDeployment } from '../actions/present/deployment.ts';
import { mayReview } from '../actions/runs/approvals.ts';
import type { RunRecord } from '../actions/runs/records.ts';
import { notFound, ok, type Reply, unprocessable } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { runOf } from './actions-lookup.ts';

const reviewBody = z.object({
  environment_ids: z.array(z.number()).min(1),
  state: z.enum(['approved', 'rejected']),
  comment: z.string(),
});

function review(parts: ActionsParts, ctx: Context, run: RunRecord): Reply {
  const body = reviewBody.safeParse(ctx.body);
  if (!body.success) return unprocessable('Invalid request: environment_ids, state and comment are needed.');
  const { environment_ids: ids, state, comment } = body.data;
  const pending = parts.engine.approvals.pendingOf(run);
  const environments = pending.map((one) => one.environment).filter((one) => ids.includes(one.id));
  if (environments.length < new Set(ids).size)
    return unprocessable('One or more environments are not waiting for a review in this run.');
  const { user } = ctx.actor;
  const refused = environments.find((one) => !mayReview(one, run, user));
  if (refused !== undefined)
    return unprocessable(`${user.login} is not allowed to review the deployment to ${refused.name}.`);
  const jobs = parts.engine.review(run, { environments, state, user, comment });
  return ok(jobs.map((job) => presentReviewedDeployment(ctx.urls, job, ctx.store.now())));
}

const RUN = '/repos/{owner}/{repo}/actions/runs/{run_id}';

/** Deployments that wait for a reviewer: look, review, and what was said. */
export function actionsDeploymentsRoutes(parts: ActionsParts): readonly Route[] {
  const withRun =
    (answer: (run: RunRecord, ctx: Context) => Reply): Route['handler'] =>
    (ctx) => {
      const run = runOf(parts, ctx);
      return run === undefined ? notFound() : answer(run, ctx);
    };
  return [
    {
      operationId: 'actions/get-pending-deployments-for-run',
      method: 'GET',
      path: `${RUN}/pending_deployments`,
      access: repoAccess('actions:read'),
      handler: withRun((run, ctx) => {
        const { principal, urls } = ctx;
        const user = principal.kind === 'user' ? principal.user : null;
        const mayApprove = (one: Parameters<typeof mayReview>[0]) =>
          user !== null && roleAtLeast(roleOf(ctx.repo, user.id), 'read') && mayReview(one, run, user);
        const pending = parts.engine.approvals.pendingOf(run);
        return ok(pending.map((one) => presentPending(urls, one, mayApprove(one.environment))));
      }),
    },
    {
      operationId: 'actions/review-pending-deployments-for-run',
      method: 'POST',
      path: `${RUN}/pending_deployments`,
      // A reviewer needs no more than reading; who it is, is looked at by name.
      access: repoAccess('deployments:write', 'read'),
      handler: withRun((run, ctx) => review(parts, ctx, run)),
    },
    {
      operationId: 'actions/get-reviews-for-run',
      method: 'GET',
      path: `${RUN}/approvals`,
      access: repoAccess('actions:read'),
      handler: withRun((run, ctx) =>
        ok(parts.engine.approvals.reviewsOf(run).map((one) => presentReview(ctx.urls, one))),
      ),
    },
  ];
}
