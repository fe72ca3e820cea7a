import { z } from 'zod';
import { mayInRepo, repoAccess } from '../access.ts';
import { iso } from '../iso.ts';
import { nodeId } from '../node-id.ts';
import { paginate } from '../paginate.ts';
import type { Ruleset } from '../records/ruleset.ts';
import { created, invalid, noContent, notFound, ok, type Reply } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { bypasses, covers } from '../rules/applies.ts';
import { ReviewParameters, StatusChecksParameters } from '../rules/violations.ts';
import { withBody } from './handle.ts';

const Plain = z.enum(['creation', 'deletion', 'non_fast_forward', 'required_linear_history']);

/** Exactly the rules that are enforced here; any other is refused by name rather than kept without effect. */
const Rule = z.union([
  z.object({ type: Plain }),
  z.object({
    type: z.literal('update'),
    parameters: z.object({ update_allows_fetch_and_merge: z.boolean() }).optional(),
  }),
  z.object({ type: z.literal('pull_request'), parameters: ReviewParameters.optional() }),
  z.object({ type: z.literal('required_status_checks'), parameters: StatusChecksParameters }),
]);

const Actor = z.object({
  actor_id: z
    .number()
    .nullish()
    .transform((id) => id ?? null),
  actor_type: z.enum(['Integration', 'OrganizationAdmin', 'RepositoryRole', 'Team', 'DeployKey', 'User']),
  bypass_mode: z.enum(['always', 'pull_request', 'exempt']).default('always'),
});

/** Full ref patterns or `~DEFAULT_BRANCH`, `~ALL`; GitHub calls anything else "Invalid target patterns". */
const Pattern = z
  .string()
  .regex(/^(refs\/(heads|tags)\/.+|~ALL|~DEFAULT_BRANCH)$/, 'Invalid target patterns');

const Change = z.object({
  name: z.string().min(1).optional(),
  target: z.enum(['branch', 'tag', 'push']).optional(),
  enforcement: z.enum(['disabled', 'active', 'evaluate']).optional(),
  bypass_actors: z.array(Actor).optional(),
  conditions: z
    .object({
      ref_name: z.object({ include: z.array(Pattern).default([]), exclude: z.array(Pattern).default([]) }),
    })
    .optional(),
  rules: z.array(Rule).optional(),
});
const New = Change.extend({
  name: z.string().min(1),
  enforcement: z.enum(['disabled', 'active', 'evaluate']),
});

function present(ctx: Context, ruleset: Ruleset, detailed: boolean) {
  const self = `${ctx.urls.repoApi(ctx.repo)}/rulesets/${ruleset.id}`;
  const html = `${ctx.urls.repoHtml(ctx.repo)}/rules/${ruleset.id}`;
  const mayAdmin = mayInRepo(ctx.principal, ctx.repo, ['administration:write'], 'admin');
  return {
    id: ruleset.id,
    name: ruleset.name,
    target: ruleset.target,
    source_type: 'Repository',
    source: `${ctx.repo.owner.login}/${ctx.repo.name}`,
    enforcement: ruleset.enforcement,
    node_id: ruleset.nodeId,
    _links: { self: { href: self }, html: { href: html } },
    created_at: iso(ruleset.createdAt),
    updated_at: iso(ruleset.updatedAt),
    ...(detailed
      ? {
          conditions: { ref_name: { include: ruleset.include, exclude: ruleset.exclude } },
          rules: ruleset.rules,
          current_user_can_bypass: bypasses(ruleset, ctx.principal, ctx.repo) ? 'always' : 'never',
          ...(mayAdmin ? { bypass_actors: ruleset.bypassActors } : {}),
        }
      : {}),
  };
}

function create(ctx: Context, body: z.infer<typeof New>): Reply {
  if ([...ctx.repo.rulesets.values()].some((one) => one.name === body.name))
    return invalid({
      resource: 'RepositoryRuleset',
      field: 'name',
      code: 'custom',
      message: 'Name must be unique',
    });
  const id = ctx.store.nextId('ruleset');
  const now = ctx.store.now();
  const ruleset: Ruleset = {
    id,
    nodeId: nodeId('RRS', id),
    name: body.name,
    target: body.target ?? 'branch',
    enforcement: body.enforcement,
    bypassActors: body.bypass_actors ?? [],
    include: body.conditions?.ref_name.include ?? [],
    exclude: body.conditions?.ref_name.exclude ?? [],
    rules: (body.rules ?? []) as Ruleset['rules'],
    createdAt: now,
    updatedAt: now,
  };
  ctx.repo.rulesets.set(id, ruleset);
  return created(present(ctx, ruleset, true));
}

const find = (ctx: Context): Ruleset | undefined => ctx.repo.rulesets.get(Number(ctx.params.ruleset_id));

function update(ctx: Context, body: z.infer<typeof Change>): Reply {
  const ruleset = find(ctx);
  if (!ruleset) return notFound();
  ruleset.name = body.name ?? ruleset.name;
  ruleset.target = body.target ?? ruleset.target;
  ruleset.enforcement = body.enforcement ?? ruleset.enforcement;
  ruleset.bypassActors = body.bypass_actors ?? ruleset.bypassActors;
  ruleset.include = body.conditions?.ref_name.include ?? ruleset.include;
  ruleset.exclude = body.conditions?.ref_name.exclude ?? ruleset.exclude;
  ruleset.rules = (body.rules as Ruleset['rules'] | undefined) ?? ruleset.rules;
  ruleset.updatedAt = ctx.store.now();
  return ok(present(ctx, ruleset, true));
}

/** The rules that stand on one branch, each with the ruleset that it comes from. */
function forBranch(ctx: Context): Reply {
  const ref = `refs/heads/${ctx.params.branch}`;
  const defaultRef = `refs/heads/${ctx.repo.defaultBranch}`;
  const rules = [...ctx.repo.rulesets.values()]
    .filter((ruleset) => covers(ruleset, ref, defaultRef))
    .flatMap((ruleset) =>
      ruleset.rules.map((rule) => ({
        ...rule,
        ruleset_source_type: 'Repository',
        ruleset_source: `${ctx.repo.owner.login}/${ctx.repo.name}`,
        ruleset_id: ruleset.id,
      })),
    );
  const { items, headers } = paginate(ctx, rules);
  return ok(items, headers);
}

const base = '/repos/{owner}/{repo}/rulesets';
const read = repoAccess('metadata:read');
const write = repoAccess('administration:write', 'admin');

export const rulesetRoutes: readonly Route[] = [
  {
    operationId: 'repos/get-repo-rulesets',
    method: 'GET',
    path: base,
    access: read,
    handler: (ctx) => {
      const { items, headers } = paginate(ctx, [...ctx.repo.rulesets.values()]);
      return ok(
        items.map((ruleset) => present(ctx, ruleset, false)),
        headers,
      );
    },
  },
  {
    operationId: 'repos/create-repo-ruleset',
    method: 'POST',
    path: base,
    access: write,
    handler: withBody(New, create),
  },
  {
    operationId: 'repos/get-repo-ruleset',
    method: 'GET',
    path: `${base}/{ruleset_id}`,
    access: read,
    handler: (ctx) => {
      const ruleset = find(ctx);
      return ruleset ? ok(present(ctx, ruleset, true)) : notFound();
    },
  },
  {
    operationId: 'repos/update-repo-ruleset',
    method: 'PUT',
    path: `${base}/{ruleset_id}`,
    access: write,
    handler: withBody(Change, update),
  },
  {
    operationId: 'repos/delete-repo-ruleset',
    method: 'DELETE',
    path: `${base}/{ruleset_id}`,
    access: write,
    handler: (ctx) => (ctx.repo.rulesets.delete(Number(ctx.params.ruleset_id)) ? noContent() : notFound()),
  },
  {
    operationId: 'repos/get-branch-rules',
    method: 'GET',
    path: '/repos/{owner}/{repo}/rules/branches/{branch}',
    access: read,
    handler: forBranch,
  },
];
