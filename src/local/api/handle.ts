import type { z } from 'zod';
import { canSee } from '../access.ts';
import { sendOn } from '../moved-repos.ts';
import { paginate } from '../paginate.ts';
import { presentIssue } from '../present/issue.ts';
import { asPull, type PullIssue } from '../present/pull.ts';
import type { Issue } from '../records/issue.ts';
import { type FieldError, invalid, notFound, ok, problem, type Reply } from '../reply.ts';
import type { Context } from '../router.ts';

type Handler = (ctx: Context) => Reply | Promise<Reply>;

/**
 * Reads the body by a schema first; answers GitHub's 422 with the fields at fault when it does not fit. `resource` is what
 * GitHub calls the thing in those errors.
 */
export function withBody<T>(
  schema: z.ZodType<T>,
  handler: (ctx: Context, body: T) => Reply | Promise<Reply>,
  resource = 'Request',
): Handler {
  return (ctx) => {
    const parsed = schema.safeParse(ctx.body);
    if (parsed.success) return handler(ctx, parsed.data);
    return invalid(...parsed.error.issues.map((issue) => fieldError(resource, issue, ctx.body)));
  };
}

/** `missing_field`, `custom` with a sentence, or `invalid`, as GitHub tells them apart. A schema may name its own error. */
function fieldError(resource: string, issue: z.core.$ZodIssue, body: unknown): FieldError {
  const field = issue.path.join('.');
  const [first] = issue.path;
  const given = first === undefined ? body : (body as Record<PropertyKey, unknown>)?.[first];
  if (given === undefined) return { resource, field, code: 'missing_field' };
  const own = issue.code === 'custom' ? ((issue.params ?? {}) as Partial<FieldError>) : undefined;
  if (own) return { resource, field, code: 'custom', message: issue.message, ...own };
  const size = issue.code === 'too_big' || issue.code === 'too_small';
  return { resource, field, code: size ? 'custom' : 'invalid', message: issue.message };
}

/** Finds the issue or pull request of `{issue_number}` first; tells what became of one that is gone. */
export function withIssue(handler: (ctx: Context, issue: Issue) => Reply | Promise<Reply>): Handler {
  return (ctx) => {
    const issue = ctx.repo.issues.get(Number(ctx.params.issue_number));
    return issue ? handler(ctx, issue) : goneIssue(ctx, Number(ctx.params.issue_number));
  };
}

/**
 * 301 to a transferred issue's new place, 404 when the caller may not see that, 410 for a deleted one
 * (GitHub documentation, REST, "Get an issue").
 */
function goneIssue(ctx: Context, number: number): Reply {
  const former = ctx.repo.formerIssues.get(number);
  if (!former) return notFound();
  if (former.kind === 'deleted') return problem(410, 'This issue was deleted');
  const target = ctx.store.repos.get(former.repositoryId);
  if (!target || !canSee(ctx.principal, target)) return notFound();
  const rest = /\/issues\/\d+(.*)$/.exec(ctx.url.pathname)?.[1] ?? '';
  const location = `${ctx.urls.api}/repositories/${target.id}/issues/${former.number}${rest}`;
  return sendOn('GET', location);
}

/** Finds the pull request of `{pull_number}` first; 404 without. */
export function withPull(handler: (ctx: Context, pull: PullIssue) => Reply | Promise<Reply>): Handler {
  return (ctx) => {
    const pull = asPull(ctx.repo.issues.get(Number(ctx.params.pull_number)));
    return pull ? handler(ctx, pull) : notFound();
  };
}

/** One page of issues. */
export function listedIssues(ctx: Context, issues: readonly Issue[]): Reply {
  const { items, headers } = paginate(ctx, issues);
  return ok(
    items.map((issue) => presentIssue(ctx.urls, ctx.repo, issue)),
    headers,
  );
}
