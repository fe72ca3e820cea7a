import { repoAccess } from '../access.ts';
import type { ActionsParts } from '../actions/actions-routes.ts';
import { presentRun } from '../actions/present/run.ts';
import type { RunRecord } from '../actions/runs/records.ts';
import { iso } from '../iso.ts';
import { paginate } from '../paginate.ts';
import { accepted, created, noContent, notFound, ok, problem, type Reply } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { runOf, workflowOf } from './actions-lookup.ts';

/** `created`: a day, `>=day`, `day..day` and so on; times as GitHub writes them compare as texts. */
function matchesCreated(time: string, wanted: string): boolean {
  const range = wanted.split('..');
  const open = (edge: string | undefined) => edge === undefined || edge === '' || edge === '*';
  const upTo = (edge: string) => time.slice(0, edge.length) <= edge;
  const from = (edge: string) => time.slice(0, edge.length) >= edge;
  if (range.length === 2) return (open(range[0]) || from(range[0]!)) && (open(range[1]) || upTo(range[1]!));
  const [, operator, edge] = /^(>=|<=|>|<)?(.*)$/.exec(wanted) ?? [];
  switch (operator) {
    case '>=':
      return from(edge!);
    case '<=':
      return upTo(edge!);
    case '>':
      return from(edge!) && !time.startsWith(edge!);
    case '<':
      return upTo(edge!) && !time.startsWith(edge!);
    default:
      return time.startsWith(wanted);
  }
}

type Filter = (run: RunRecord, wanted: string) => boolean;

const FILTERS: Readonly<Record<string, Filter>> = {
  event: (run, wanted) => run.cause.event === wanted,
  branch: (run, wanted) => run.cause.headBranch === wanted,
  status: (run, wanted) => run.status === wanted || run.conclusion === wanted,
  head_sha: (run, wanted) => run.cause.headSha === wanted,
  actor: (run, wanted) => run.actor.user.login.toLowerCase() === wanted.toLowerCase(),
  created: (run, wanted) => matchesCreated(iso(run.createdAt), wanted),
  check_suite_id: (run, wanted) => String(run.checkSuite?.id) === wanted,
};

/** Newest first, at most 1,000 when a filter is given, as on GitHub. */
function listRuns(parts: ActionsParts, ctx: Context, wanted: (run: RunRecord) => boolean): Reply {
  const given = Object.entries(FILTERS).filter(([name]) => (ctx.query.get(name) ?? '') !== '');
  const passes = (run: RunRecord) => given.every(([name, filter]) => filter(run, ctx.query.get(name)!));
  const found = [...parts.engine.runs.values()]
    .filter((run) => run.repo === ctx.repo && wanted(run) && passes(run))
    .reverse();
  const all = given.length > 0 ? found.slice(0, 1000) : found;
  const { items, headers } = paginate(ctx, all);
  return ok(
    { total_count: all.length, workflow_runs: items.map((run) => presentRun(ctx.urls, run)) },
    headers,
  );
}

function withRun(parts: ActionsParts, answer: (run: RunRecord, ctx: Context) => Reply): Route['handler'] {
  return (ctx) => {
    const run = runOf(parts, ctx);
    return run === undefined ? notFound() : answer(run, ctx);
  };
}

function withAttempt(
  parts: ActionsParts,
  answer: (run: RunRecord, attempt: number, ctx: Context) => Reply,
): Route['handler'] {
  return withRun(parts, (run, ctx) => {
    const attempt = Number(ctx.params.attempt_number);
    return attempt >= 1 && attempt <= run.attempt ? answer(run, attempt, ctx) : notFound();
  });
}

function cancel(parts: ActionsParts, force: boolean): Route['handler'] {
  return withRun(parts, (run) => {
    const done = parts.engine.cancel(run, force);
    return done ? accepted() : problem(409, 'Cannot cancel a workflow run that is completed.');
  });
}

function rerun(parts: ActionsParts, onlyFailed: boolean): Route['handler'] {
  return withRun(parts, (run, ctx) => {
    const done = parts.engine.rerun(run, { onlyFailed, actor: ctx.actor });
    return done ? created({}) : problem(403, 'This workflow run cannot be retried');
  });
}

const READ = repoAccess('actions:read');
const WRITE = repoAccess('actions:write');
const RUN = '/repos/{owner}/{repo}/actions/runs/{run_id}';

/** Runs: list, get, cancel, run again, logs. */
export function actionsRunsRoutes(parts: ActionsParts): readonly Route[] {
  return [
    {
      operationId: 'actions/list-workflow-runs-for-repo',
      method: 'GET',
      path: '/repos/{owner}/{repo}/actions/runs',
      access: READ,
      handler: (ctx) => listRuns(parts, ctx, () => true),
    },
    {
      operationId: 'actions/list-workflow-runs',
      method: 'GET',
      path: '/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs',
      access: READ,
      handler: async (ctx) => {
        const workflow = await workflowOf(parts, ctx);
        return workflow === undefined ? notFound() : listRuns(parts, ctx, (run) => run.workflow === workflow);
      },
    },
    {
      operationId: 'actions/get-workflow-run',
      method: 'GET',
      path: RUN,
      access: READ,
      handler: withRun(parts, (run, ctx) => ok(presentRun(ctx.urls, run))),
    },
    {
      operationId: 'actions/get-workflow-run-attempt',
      method: 'GET',
      path: `${RUN}/attempts/{attempt_number}`,
      access: READ,
      handler: withAttempt(parts, (run, attempt, ctx) => ok(presentRun(ctx.urls, run, attempt))),
    },
    {
      operationId: 'actions/download-workflow-run-attempt-logs',
      method: 'GET',
      path: `${RUN}/attempts/{attempt_number}/logs`,
      access: READ,
      handler: withAttempt(parts, (run, attempt) => ({
        status: 302,
        headers: { location: parts.results.logUrl('logs', `${run.id}-${attempt}`) },
      })),
    },
    {
      operationId: 'actions/delete-workflow-run',
      method: 'DELETE',
      path: RUN,
      access: WRITE,
      handler: withRun(parts, (run) => {
        if (run.status !== 'completed') return problem(403, 'Could not delete the workflow run');
        parts.engine.runs.delete(run.id);
        return noContent();
      }),
    },
    {
      operationId: 'actions/download-workflow-run-logs',
      method: 'GET',
      path: `${RUN}/logs`,
      access: READ,
      handler: withRun(parts, (run) => ({
        status: 302,
        headers: { location: parts.results.logUrl('logs', `${run.id}-${run.attempt}`) },
      })),
    },
    {
      operationId: 'actions/cancel-workflow-run',
      method: 'POST',
      path: `${RUN}/cancel`,
      access: WRITE,
      handler: cancel(parts, false),
    },
    {
      operationId: 'actions/force-cancel-workflow-run',
      method: 'POST',
      path: `${RUN}/force-cancel`,
      access: WRITE,
      handler: cancel(parts, true),
    },
    {
      operationId: 'actions/re-run-workflow',
      method: 'POST',
      path: `${RUN}/rerun`,
      access: WRITE,
      handler: rerun(parts, false),
    },
    {
      operationId: 'actions/re-run-workflow-failed-jobs',
      method: 'POST',
      path: `${RUN}/rerun-failed-jobs`,
      access: WRITE,
      handler: rerun(parts, true),
    },
  ];
}
