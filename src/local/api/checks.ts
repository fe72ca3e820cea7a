import { z } from 'zod';
import { repoAccess } from '../access.ts';
import {
  checkRunById,
  checkRunsOn,
  checkSuiteById,
  checkSuitesOn,
  latestRuns,
  runsOfSuite,
} from '../checks/check-index.ts';
import {
  type CheckChange,
  createCheckRun,
  rerequestCheckRun,
  rerequestSuite,
  suiteFor,
  updateCheckRun,
} from '../checks/check-runs.ts';
import { isOid } from '../git/oid.ts';
import { resolveCommit } from '../git/resolve.ts';
import { paginate } from '../paginate.ts';
import { presentCheckRun } from '../present/check.ts';
import { presentSuite } from '../present/check-suite.ts';
import type { CheckRun, CheckSuite } from '../records/check.ts';
import { created, forbidden, invalid, notFound, ok, problem, type Reply, unprocessable } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { withBody } from './handle.ts';

const Annotation = z.object({
  path: z.string(),
  start_line: z.number().int(),
  end_line: z.number().int(),
  start_column: z.number().int().optional(),
  end_column: z.number().int().optional(),
  annotation_level: z.enum(['notice', 'warning', 'failure']),
  message: z.string().max(65_536),
  title: z.string().max(255).optional(),
  raw_details: z.string().max(65_536).optional(),
});

const Long = z
  .string()
  .refine(
    (text) => text.length <= 65_535 || [...text].length <= 65_535,
    'is too long (maximum is 65535 characters)',
  );

const Change = z.object({
  name: z.string().min(1).optional(),
  details_url: z.string().optional(),
  external_id: z.string().optional(),
  status: z.enum(['queued', 'in_progress', 'completed', 'waiting', 'requested', 'pending']).optional(),
  conclusion: z
    .enum(['action_required', 'cancelled', 'failure', 'neutral', 'success', 'skipped', 'stale', 'timed_out'])
    .optional(),
  started_at: z.iso.datetime({ offset: true }).optional(),
  completed_at: z.iso.datetime({ offset: true }).optional(),
  actions: z
    .array(
      z.object({
        label: z.string().max(20),
        description: z.string().max(40),
        identifier: z.string().max(20),
      }),
    )
    .max(3, 'must have at most 3 items')
    .optional(),
  output: z
    .object({
      title: z.string().optional(),
      summary: Long,
      text: Long.optional(),
      annotations: z.array(Annotation).max(50, 'must have at most 50 items').optional(),
    })
    .optional(),
});
const NewCheck = Change.extend({ name: z.string().min(1), head_sha: z.string() });

function changeOf(body: z.infer<typeof Change>): CheckChange {
  const { output } = body;
  return {
    name: body.name,
    status: body.status,
    conclusion: body.conclusion,
    detailsUrl: body.details_url,
    externalId: body.external_id,
    startedAt: body.started_at === undefined ? undefined : Date.parse(body.started_at),
    completedAt: body.completed_at === undefined ? undefined : Date.parse(body.completed_at),
    output: output && { title: output.title ?? null, summary: output.summary, text: output.text ?? null },
    annotations: output?.annotations,
  };
}

/** Only apps write checks; a workflow token writes under the Actions app, on any commit and name. */
async function create(ctx: Context, body: z.infer<typeof NewCheck>): Promise<Reply> {
  const { app } = ctx.actor;
  if (!app) return forbidden('You must authenticate via a GitHub App.');
  if (!(await isCommit(ctx, body.head_sha)))
    return unprocessable(`No commit found for SHA: ${body.head_sha}`);
  if (body.status === 'completed' && !body.conclusion)
    return invalid({ resource: 'CheckRun', field: 'conclusion', code: 'missing_field' });
  const run = createCheckRun(ctx.store, ctx.repo, ctx.actor, {
    ...changeOf(body),
    app,
    name: body.name,
    headSha: body.head_sha,
  });
  return created(presentCheckRun(ctx.urls, ctx.repo, run));
}

const find = (ctx: Context): CheckRun | undefined => checkRunById(ctx.repo, Number(ctx.params.check_run_id));

function update(ctx: Context, body: z.infer<typeof Change>): Reply {
  const run = find(ctx);
  if (!run) return notFound();
  if (run.app !== ctx.actor.app)
    return forbidden(
      'Invalid app_id `undefined` - check run can only be modified by the GitHub App that created it.',
    );
  updateCheckRun(ctx.store, ctx.repo, ctx.actor, run, changeOf(body));
  return ok(presentCheckRun(ctx.urls, ctx.repo, run));
}

const NewSuite = z.object({ head_sha: z.string() });

/** 201 for a new suite of the app on that commit, 200 for the one it has. Suites are made by check runs anyway. */
async function createSuite(ctx: Context, body: z.infer<typeof NewSuite>): Promise<Reply> {
  const { app } = ctx.actor;
  if (!app) return forbidden('You must authenticate via a GitHub App.');
  if (!(await isCommit(ctx, body.head_sha)))
    return unprocessable(`No commit found for SHA: ${body.head_sha}`);
  const known = checkSuitesOn(ctx.repo, body.head_sha).length;
  const suite = suiteFor(ctx.store, ctx.repo, app, body.head_sha);
  const shown = await presentSuite(ctx.urls, ctx.repo, suite);
  return checkSuitesOn(ctx.repo, body.head_sha).length > known ? created(shown) : ok(shown);
}

async function rerequestAll(ctx: Context): Promise<Reply> {
  const suite = findSuite(ctx);
  if (!suite) return notFound();
  await rerequestSuite(ctx.store, ctx.repo, ctx.actor, suite);
  return created({});
}

const isCommit = async (ctx: Context, sha: string): Promise<boolean> =>
  isOid(sha) && (await ctx.repo.git.object(sha))?.type === 'commit';

/** Filters `check_name`, `app_id`, `status`; `filter=latest` (default) keeps the newest of each app, suite and name. */
function listed(ctx: Context, runs: readonly CheckRun[]): Reply {
  const name = ctx.query.get('check_name');
  const appId = ctx.query.get('app_id');
  const status = ctx.query.get('status');
  const matching = runs.filter(
    (run) =>
      (name === null || run.name === name) &&
      (appId === null || run.app.id === Number(appId)) &&
      (status === null || run.status === status),
  );
  const kept = ctx.query.get('filter') === 'all' ? matching : latestRuns(matching);
  const newest = [...kept].reverse();
  const { items, headers } = paginate(ctx, newest);
  const shown = items.map((run) => presentCheckRun(ctx.urls, ctx.repo, run));
  return ok({ total_count: kept.length, check_runs: shown }, headers);
}

async function listForRef(ctx: Context): Promise<Reply> {
  const sha = await resolveCommit(ctx.repo.git, ctx.params.ref ?? '');
  if (!sha) return unprocessable(`No commit found for SHA: ${ctx.params.ref}`);
  return listed(ctx, checkRunsOn(ctx.repo, sha));
}

function annotations(ctx: Context): Reply {
  const run = find(ctx);
  if (!run) return notFound();
  const { items, headers } = paginate(ctx, run.annotations);
  const shown = items.map((one) => ({
    path: one.path,
    blob_href: `${ctx.urls.repoHtml(ctx.repo)}/blob/${run.headSha}/${one.path}`,
    start_line: one.start_line,
    start_column: one.start_column ?? null,
    end_line: one.end_line,
    end_column: one.end_column ?? null,
    annotation_level: one.annotation_level,
    title: one.title ?? null,
    message: one.message,
    raw_details: one.raw_details ?? null,
  }));
  return ok(shown, headers);
}

async function suitesForRef(ctx: Context): Promise<Reply> {
  const sha = await resolveCommit(ctx.repo.git, ctx.params.ref ?? '');
  if (!sha) return unprocessable(`No commit found for SHA: ${ctx.params.ref}`);
  const appId = ctx.query.get('app_id');
  const suites = checkSuitesOn(ctx.repo, sha).filter(
    (suite) => appId === null || suite.app.id === Number(appId),
  );
  const { items, headers } = paginate(ctx, suites);
  const shown = await Promise.all(items.map((suite) => presentSuite(ctx.urls, ctx.repo, suite)));
  return ok({ total_count: suites.length, check_suites: shown }, headers);
}

const findSuite = (ctx: Context): CheckSuite | undefined =>
  checkSuiteById(ctx.repo, Number(ctx.params.check_suite_id));

const base = '/repos/{owner}/{repo}';
const read = repoAccess('checks:read');
const write = repoAccess('checks:write');

export const checkRoutes: readonly Route[] = [
  {
    operationId: 'checks/create',
    method: 'POST',
    path: `${base}/check-runs`,
    access: write,
    content: true,
    handler: withBody(NewCheck, create, 'CheckRun'),
  },
  {
    operationId: 'checks/get',
    method: 'GET',
    path: `${base}/check-runs/{check_run_id}`,
    access: read,
    handler: (ctx) => {
      const run = find(ctx);
      return run ? ok(presentCheckRun(ctx.urls, ctx.repo, run)) : notFound();
    },
  },
  {
    operationId: 'checks/update',
    method: 'PATCH',
    path: `${base}/check-runs/{check_run_id}`,
    access: write,
    handler: withBody(Change, update, 'CheckRun'),
  },
  {
    operationId: 'checks/list-annotations',
    method: 'GET',
    path: `${base}/check-runs/{check_run_id}/annotations`,
    access: read,
    handler: annotations,
  },
  {
    operationId: 'checks/rerequest-run',
    method: 'POST',
    path: `${base}/check-runs/{check_run_id}/rerequest`,
    access: write,
    handler: (ctx) => {
      const run = find(ctx);
      if (!run) return notFound();
      if (run.status !== 'completed') return problem(422, 'This check run is not rerequestable');
      rerequestCheckRun(ctx.store, ctx.repo, ctx.actor, run);
      return created({});
    },
  },
  {
    operationId: 'checks/list-for-ref',
    method: 'GET',
    path: `${base}/commits/{ref}/check-runs`,
    access: read,
    handler: listForRef,
  },
  {
    operationId: 'checks/list-suites-for-ref',
    method: 'GET',
    path: `${base}/commits/{ref}/check-suites`,
    access: read,
    handler: suitesForRef,
  },
  {
    operationId: 'checks/get-suite',
    method: 'GET',
    path: `${base}/check-suites/{check_suite_id}`,
    access: read,
    handler: async (ctx) => {
      const suite = findSuite(ctx);
      return suite ? ok(await presentSuite(ctx.urls, ctx.repo, suite)) : notFound();
    },
  },
  {
    operationId: 'checks/create-suite',
    method: 'POST',
    path: `${base}/check-suites`,
    access: write,
    handler: withBody(NewSuite, createSuite, 'CheckSuite'),
  },
  {
    operationId: 'checks/rerequest-suite',
    method: 'POST',
    path: `${base}/check-suites/{check_suite_id}/rerequest`,
    access: write,
    handler: rerequestAll,
  },
  {
    operationId: 'checks/list-for-suite',
    method: 'GET',
    path: `${base}/check-suites/{check_suite_id}/check-runs`,
    access: read,
    handler: (ctx) => {
      const suite = findSuite(ctx);
      return suite ? listed(ctx, runsOfSuite(ctx.repo, suite)) : notFound();
    },
  },
];
