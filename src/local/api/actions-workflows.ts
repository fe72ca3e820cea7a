import { z } from 'zod';
import { repoAccess } from '../access.ts';
import type { ActionsParts } from '../actions/actions-routes.ts';
import { presentWorkflow } from '../actions/present/workflow.ts';
import { dispatchWorkflow } from '../actions/trigger/dispatch.ts';
import { paginate } from '../paginate.ts';
import { noContent, notFound, ok, problem, type Reply, unprocessable } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { workflowOf, workflowsOf } from './actions-lookup.ts';

const dispatchBody = z.object({
  ref: z.string(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  return_run_details: z.boolean().optional(),
});

/** From this version of the API on, a dispatch always answers with the run (GitHub's description, `actions/create-workflow-dispatch`). */
const ALWAYS_DETAILS = '2026-03-10';
const versionOf = (ctx: Context): string => ctx.headers['x-github-api-version'] ?? '2022-11-28';

async function dispatch(parts: ActionsParts, ctx: Context): Promise<Reply> {
  const workflow = await workflowOf(parts, ctx);
  if (workflow === undefined) return notFound();
  const body = dispatchBody.safeParse(ctx.body);
  if (!body.success) return unprocessable('Invalid request.\n\n"ref" wasn\'t supplied.');
  const { ref, inputs = {} } = body.data;
  const result = await dispatchWorkflow(parts, {
    repo: ctx.repo,
    path: workflow.path,
    ref,
    inputs,
    actor: ctx.actor,
  });
  if (result.kind === 'refused') return problem(result.status, result.message);
  const details = body.data.return_run_details ?? false;
  if (!details && versionOf(ctx) < ALWAYS_DETAILS) return noContent();
  const { run } = result;
  return ok({
    workflow_run_id: run.id,
    run_url: `${ctx.urls.repoApi(ctx.repo)}/actions/runs/${run.id}`,
    html_url: `${ctx.urls.repoHtml(ctx.repo)}/actions/runs/${run.id}`,
  });
}

/** Workflows: list, get, dispatch. */
export function actionsWorkflowsRoutes(parts: ActionsParts): readonly Route[] {
  return [
    {
      operationId: 'actions/list-repo-workflows',
      method: 'GET',
      path: '/repos/{owner}/{repo}/actions/workflows',
      access: repoAccess('actions:read'),
      handler: async (ctx) => {
        const all = await workflowsOf(parts, ctx);
        const { items, headers } = paginate(ctx, all);
        const workflows = items.map((workflow) => presentWorkflow(ctx.urls, workflow));
        return ok({ total_count: all.length, workflows }, headers);
      },
    },
    {
      operationId: 'actions/get-workflow',
      method: 'GET',
      path: '/repos/{owner}/{repo}/actions/workflows/{workflow_id}',
      access: repoAccess('actions:read'),
      handler: async (ctx) => {
        const workflow = await workflowOf(parts, ctx);
        return workflow === undefined ? notFound() : ok(presentWorkflow(ctx.urls, workflow));
      },
    },
    {
      operationId: 'actions/create-workflow-dispatch',
      method: 'POST',
      path: '/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches',
      access: repoAccess('actions:write'),
      handler: (ctx) => dispatch(parts, ctx),
    },
  ];
}
