import type { z } from 'zod';
import { asPull, type PullIssue } from '../present/pull.ts';
import type { Issue } from '../records/issue.ts';
import { invalid, notFound, type Reply } from '../reply.ts';
import type { Context } from '../router.ts';

type Handler = (ctx: Context) => Reply | Promise<Reply>;

/** Reads the body by a schema first; answers GitHub's 422 with the fields at fault when it does not fit. */
export function withBody<T>(
  schema: z.ZodType<T>,
  handler: (ctx: Context, body: T) => Reply | Promise<Reply>,
): Handler {
  return (ctx) => {
    const parsed = schema.safeParse(ctx.body);
    if (parsed.success) return handler(ctx, parsed.data);
    const errors = parsed.error.issues.map((issue) => ({
      resource: 'Request',
      field: issue.path.join('.'),
      code: 'invalid' as const,
      message: issue.message,
    }));
    return invalid(...errors);
  };
}

/** Finds the issue or pull request of `{issue_number}` first; 404 without. */
export function withIssue(handler: (ctx: Context, issue: Issue) => Reply | Promise<Reply>): Handler {
  return (ctx) => {
    const issue = ctx.repo.issues.get(Number(ctx.params.issue_number));
    return issue ? handler(ctx, issue) : notFound();
  };
}

/** Finds the pull request of `{pull_number}` first; 404 without. */
export function withPull(handler: (ctx: Context, pull: PullIssue) => Reply | Promise<Reply>): Handler {
  return (ctx) => {
    const pull = asPull(ctx.repo.issues.get(Number(ctx.params.pull_number)));
    return pull ? handler(ctx, pull) : notFound();
  };
}
