import { z } from 'zod';
import { repoAccess } from '../access.ts';
import { addLabels, createLabel, findLabel, removeLabels, setLabels } from '../issues/labels.ts';
import { paginate } from '../paginate.ts';
import { presentLabel } from '../present/label.ts';
import type { Issue } from '../records/issue.ts';
import { created, invalid, noContent, notFound, ok, problem, type Reply } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { withBody, withIssue } from './handle.ts';
import { LabelDescription, LabelName, MAX_LABELS } from './limits.ts';

const read = repoAccess(['issues:read', 'pull_requests:read']);
const write = repoAccess(['issues:write', 'pull_requests:write'], 'triage');

const Names = z.union([
  z.object({ labels: z.array(z.union([LabelName, z.object({ name: LabelName })])).default([]) }),
  z.array(LabelName).transform((labels) => ({ labels })),
]);
const Color = z.string().regex(/^[0-9a-fA-F]{6}$/);
const NewLabel = z.object({
  name: LabelName,
  color: Color.optional(),
  description: LabelDescription.nullish(),
});
const ChangedLabel = z.object({
  new_name: LabelName.optional(),
  color: Color.optional(),
  description: LabelDescription.nullish(),
});

const names = (body: z.infer<typeof Names>): string[] =>
  body.labels.map((label) => (typeof label === 'string' ? label : label.name));

const shown = (ctx: Context, issue: Issue): Reply =>
  ok(issue.labels.map((label) => presentLabel(ctx.urls, ctx.repo, label)));

const distinct = (all: readonly string[]): number => new Set(all.map((name) => name.toLowerCase())).size;

const tooManyLabels = (): Reply =>
  problem(422, `Validation Failed. Issues cannot have more than ${MAX_LABELS} labels`);

const changing = (change: typeof addLabels) =>
  withBody(Names, (ctx, body) =>
    withIssue((_, issue) => {
      const kept = change === addLabels ? issue.labels.map((label) => label.name) : [];
      if (distinct([...kept, ...names(body)]) > MAX_LABELS) return tooManyLabels();
      change(ctx.store, ctx.repo, issue, ctx.actor, names(body));
      return shown(ctx, issue);
    })(ctx),
  );

function makeLabel(ctx: Context, body: z.infer<typeof NewLabel>): Reply {
  if (findLabel(ctx.repo, body.name))
    return invalid({ resource: 'Label', code: 'already_exists', field: 'name' });
  return created(presentLabel(ctx.urls, ctx.repo, createLabel(ctx.store, ctx.repo, body)));
}

function changeLabel(ctx: Context, body: z.infer<typeof ChangedLabel>): Reply {
  const label = findLabel(ctx.repo, ctx.params.name ?? '');
  if (!label) return notFound();
  label.name = body.new_name ?? label.name;
  label.color = body.color ?? label.color;
  if (body.description !== undefined) label.description = body.description;
  return ok(presentLabel(ctx.urls, ctx.repo, label));
}

function dropLabel(ctx: Context): Reply {
  const label = findLabel(ctx.repo, ctx.params.name ?? '');
  if (!label) return notFound();
  ctx.repo.labels.splice(ctx.repo.labels.indexOf(label), 1);
  for (const issue of ctx.repo.issues.values()) issue.labels = issue.labels.filter((one) => one !== label);
  return noContent();
}

const base = '/repos/{owner}/{repo}';
const onIssue = `${base}/issues/{issue_number}/labels`;

export const labelRoutes: readonly Route[] = [
  {
    operationId: 'issues/list-labels-for-repo',
    method: 'GET',
    path: `${base}/labels`,
    access: read,
    handler: (ctx) => {
      const { items, headers } = paginate(ctx, ctx.repo.labels);
      return ok(
        items.map((label) => presentLabel(ctx.urls, ctx.repo, label)),
        headers,
      );
    },
  },
  {
    operationId: 'issues/create-label',
    method: 'POST',
    path: `${base}/labels`,
    access: repoAccess(['issues:write', 'pull_requests:write']),
    handler: withBody(NewLabel, makeLabel, 'Label'),
  },
  {
    operationId: 'issues/get-label',
    method: 'GET',
    path: `${base}/labels/{name}`,
    access: read,
    handler: (ctx) => {
      const label = findLabel(ctx.repo, ctx.params.name ?? '');
      return label ? ok(presentLabel(ctx.urls, ctx.repo, label)) : notFound();
    },
  },
  {
    operationId: 'issues/update-label',
    method: 'PATCH',
    path: `${base}/labels/{name}`,
    access: repoAccess(['issues:write', 'pull_requests:write']),
    handler: withBody(ChangedLabel, changeLabel, 'Label'),
  },
  {
    operationId: 'issues/delete-label',
    method: 'DELETE',
    path: `${base}/labels/{name}`,
    access: repoAccess(['issues:write', 'pull_requests:write']),
    handler: dropLabel,
  },
  {
    operationId: 'issues/list-labels-on-issue',
    method: 'GET',
    path: onIssue,
    access: read,
    handler: withIssue(shown),
  },
  {
    operationId: 'issues/add-labels',
    method: 'POST',
    path: onIssue,
    access: write,
    handler: changing(addLabels),
  },
  {
    operationId: 'issues/set-labels',
    method: 'PUT',
    path: onIssue,
    access: write,
    handler: changing(setLabels),
  },
  {
    operationId: 'issues/remove-all-labels',
    method: 'DELETE',
    path: onIssue,
    access: write,
    handler: withIssue((ctx, issue) => {
      setLabels(ctx.store, ctx.repo, issue, ctx.actor, []);
      return noContent();
    }),
  },
  {
    operationId: 'issues/remove-label',
    method: 'DELETE',
    path: `${onIssue}/{name}`,
    access: write,
    handler: withIssue((ctx, issue) => {
      const name = ctx.params.name ?? '';
      if (!issue.labels.some((label) => label.name.toLowerCase() === name.toLowerCase()))
        return problem(404, 'Label does not exist');
      removeLabels(ctx.store, ctx.repo, issue, ctx.actor, [name]);
      return shown(ctx, issue);
    }),
  },
];
