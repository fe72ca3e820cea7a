import { z } from 'zod';
import { holds, mayInRepo, repoAccess, roleAtLeast, roleOf } from '../access.ts';
import { createIssue } from '../issues/create.ts';
import { closeIssue, editText, reopenIssue } from '../issues/edit.ts';
import { setLabels } from '../issues/labels.ts';
import { paginate } from '../paginate.ts';
import { presentIssue } from '../present/issue.ts';
import { presentIssueEvent, presentTimelineEvent } from '../present/timeline.ts';
import type { Issue } from '../records/issue.ts';
import { created, forbidden, ok, type Reply } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { listedIssues, withBody, withIssue } from './handle.ts';
import { Body, LabelName, MAX_LABELS, Title } from './limits.ts';

const read = repoAccess(['issues:read', 'pull_requests:read']);

const Labels = z
  .array(z.union([LabelName, z.object({ name: LabelName })]))
  .max(MAX_LABELS, `Issues cannot have more than ${MAX_LABELS} labels`);
const NewIssue = z.object({
  title: z.union([Title, z.number()]),
  body: Body.nullish(),
  labels: Labels.optional(),
});
const ChangedIssue = z.object({
  title: z.union([Title, z.number()]).nullish(),
  body: Body.nullish(),
  state: z.enum(['open', 'closed']).optional(),
  state_reason: z.enum(['completed', 'not_planned', 'reopened', 'duplicate']).nullish(),
  labels: Labels.optional(),
});

const labelNames = (labels: z.infer<typeof Labels>): string[] =>
  labels.map((label) => (typeof label === 'string' ? label : label.name));

/** Labels set by somebody without triage rights are dropped silently when an issue is created, as GitHub does. */
const mayLabel = (ctx: Context): boolean =>
  ctx.principal.kind === 'user'
    ? roleAtLeast(roleOf(ctx.repo, ctx.principal.user.id), 'triage')
    : mayInRepo(ctx.principal, ctx.repo, ['issues:write', 'pull_requests:write']);

function create(ctx: Context, body: z.infer<typeof NewIssue>): Reply {
  const labels = mayLabel(ctx) ? labelNames(body.labels ?? []) : [];
  const issue = createIssue(ctx.store, ctx.repo, ctx.actor, {
    title: String(body.title),
    body: body.body ?? null,
    labels,
  });
  return created(presentIssue(ctx.urls, ctx.repo, issue));
}

/** Tokens need the permission of what it is: issues for issues, pull_requests (or issues) for pull requests. */
function mayChange(ctx: Context, issue: Issue): boolean {
  const { principal } = ctx;
  if (principal.kind === 'user')
    return issue.user === principal.user || roleAtLeast(roleOf(ctx.repo, principal.user.id), 'triage');
  if (principal.kind !== 'installation' && principal.kind !== 'job') return false;
  return holds(principal.permissions, 'issues:write') || issue.pull !== null;
}

function update(ctx: Context, issue: Issue, body: z.infer<typeof ChangedIssue>): Reply {
  if (!mayChange(ctx, issue)) return forbidden();
  const { store, repo, actor } = ctx;
  editText(store, repo, issue, actor, {
    title: body.title == null ? undefined : String(body.title),
    body: body.body,
  });
  if (body.labels) setLabels(store, repo, issue, actor, labelNames(body.labels));
  if (body.state === 'closed')
    closeIssue(store, repo, issue, actor, { reason: body.state_reason ?? 'completed' });
  if (body.state === 'open') reopenIssue(store, repo, issue, actor);
  return ok(presentIssue(ctx.urls, repo, issue));
}

/** Filters `state`, `labels` (all of them), `since`, `creator`; sorts by `created`, `updated` or `comments`. */
function list(ctx: Context): Reply {
  const state = ctx.query.get('state') ?? 'open';
  const labels = (ctx.query.get('labels') ?? '').split(',').filter((name) => name !== '');
  const since = Date.parse(ctx.query.get('since') ?? '') || 0;
  const creator = ctx.query.get('creator');
  const has = (issue: Issue, name: string): boolean =>
    issue.labels.some((label) => label.name.toLowerCase() === name.toLowerCase());
  const found = [...ctx.repo.issues.values()].filter(
    (issue) =>
      (state === 'all' || issue.state === state) &&
      labels.every((name) => has(issue, name)) &&
      issue.updatedAt >= since &&
      (creator === null || issue.user.login === creator),
  );
  return listedIssues(ctx, sorted(ctx, found));
}

function sorted(ctx: Context, issues: Issue[]): Issue[] {
  const key = ctx.query.get('sort') ?? 'created';
  const value = (issue: Issue): number =>
    key === 'updated' ? issue.updatedAt : key === 'comments' ? issue.comments.length : issue.createdAt;
  const sign = ctx.query.get('direction') === 'asc' ? 1 : -1;
  return issues.sort((a, b) => sign * (value(a) - value(b) || a.number - b.number));
}

const base = '/repos/{owner}/{repo}/issues';

export const issueRoutes: readonly Route[] = [
  { operationId: 'issues/list-for-repo', method: 'GET', path: base, access: read, handler: list },
  {
    operationId: 'issues/create',
    method: 'POST',
    path: base,
    access: repoAccess('issues:write', 'read'),
    content: true,
    handler: withBody(NewIssue, create, 'Issue'),
  },
  {
    operationId: 'issues/get',
    method: 'GET',
    path: `${base}/{issue_number}`,
    access: read,
    handler: withIssue((ctx, issue) => ok(presentIssue(ctx.urls, ctx.repo, issue))),
  },
  {
    operationId: 'issues/update',
    method: 'PATCH',
    path: `${base}/{issue_number}`,
    access: repoAccess(['issues:write', 'pull_requests:write'], 'read'),
    handler: withBody(
      ChangedIssue,
      (ctx, body) => withIssue((_, issue) => update(ctx, issue, body))(ctx),
      'Issue',
    ),
  },
  {
    operationId: 'issues/list-events-for-timeline',
    method: 'GET',
    path: `${base}/{issue_number}/timeline`,
    access: read,
    handler: withIssue((ctx, issue) => {
      const { items, headers } = paginate(ctx, issue.timeline);
      return ok(
        items.map((event) => presentTimelineEvent(ctx.urls, ctx.repo, issue, event)),
        headers,
      );
    }),
  },
  {
    operationId: 'issues/list-events',
    method: 'GET',
    path: `${base}/{issue_number}/events`,
    access: read,
    handler: withIssue((ctx, issue) => {
      const events = issue.timeline.filter((event) => !TIMELINE_ONLY.has(event.event));
      const { items, headers } = paginate(ctx, events);
      return ok(
        items.map((event) => presentIssueEvent(ctx.urls, ctx.repo, event)),
        headers,
      );
    }),
  },
];

const TIMELINE_ONLY = new Set(['commented', 'cross-referenced', 'reviewed']);
