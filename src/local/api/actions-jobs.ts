import { repoAccess } from '../access.ts';
import type { ActionsParts } from '../actions/actions-routes.ts';
import { presentJob } from '../actions/present/job.ts';
import { currentJobs, type JobRecord } from '../actions/runs/records.ts';
import { paginate } from '../paginate.ts';
import { created, notFound, ok, problem, type Reply } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { jobOf, runOf } from './actions-lookup.ts';

const READ = repoAccess('actions:read');

function list(ctx: Context, jobs: readonly JobRecord[]): Reply {
  const { items, headers } = paginate(ctx, jobs);
  return ok({ total_count: jobs.length, jobs: items.map((job) => presentJob(ctx.urls, job)) }, headers);
}

/** Jobs: list of a run (or of one attempt), get, log. */
export function actionsJobsRoutes(parts: ActionsParts): readonly Route[] {
  return [
    {
      operationId: 'actions/list-jobs-for-workflow-run',
      method: 'GET',
      path: '/repos/{owner}/{repo}/actions/runs/{run_id}/jobs',
      access: READ,
      handler: (ctx) => {
        const run = runOf(parts, ctx);
        if (run === undefined) return notFound();
        return list(ctx, ctx.query.get('filter') === 'all' ? run.jobs : currentJobs(run));
      },
    },
    {
      operationId: 'actions/list-jobs-for-workflow-run-attempt',
      method: 'GET',
      path: '/repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs',
      access: READ,
      handler: (ctx) => {
        const run = runOf(parts, ctx);
        const attempt = Number(ctx.params.attempt_number);
        if (run === undefined || !(attempt >= 1 && attempt <= run.attempt)) return notFound();
        return list(
          ctx,
          run.jobs.filter((job) => job.attempt === attempt),
        );
      },
    },
    {
      operationId: 'actions/get-job-for-workflow-run',
      method: 'GET',
      path: '/repos/{owner}/{repo}/actions/jobs/{job_id}',
      access: READ,
      handler: (ctx) => {
        const job = jobOf(parts, ctx);
        return job === undefined ? notFound() : ok(presentJob(ctx.urls, job));
      },
    },
    {
      operationId: 'actions/re-run-job-for-workflow-run',
      method: 'POST',
      path: '/repos/{owner}/{repo}/actions/jobs/{job_id}/rerun',
      access: repoAccess('actions:write'),
      handler: (ctx) => {
        const job = jobOf(parts, ctx);
        if (job === undefined) return notFound();
        const { run } = job;
        // Only what the last attempt holds can be run again.
        const done =
          job.attempt === run.attempt &&
          parts.engine.rerun(run, { onlyFailed: false, only: job, actor: ctx.actor });
        return done ? created({}) : problem(403, 'This job cannot be retried');
      },
    },
    {
      operationId: 'actions/download-job-logs-for-workflow-run',
      method: 'GET',
      path: '/repos/{owner}/{repo}/actions/jobs/{job_id}/logs',
      access: READ,
      handler: (ctx) => {
        const job = jobOf(parts, ctx);
        if (job === undefined) return notFound();
        return { status: 302, headers: { location: parts.results.logUrl('log', String(job.id)) } };
      },
    },
  ];
}
