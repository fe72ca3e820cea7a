import { z } from 'zod';
import { repoAccess, roleAtLeast, roleOf } from '../access.ts';
import { logCommits } from '../git/commit-log.ts';
import { diffFiles } from '../git/diff.ts';
import { closeIssue, editText, reopenIssue } from '../issues/edit.ts';
import { paginate } from '../paginate.ts';
import { presentCommit } from '../present/commit.ts';
import { presentFileChange } from '../present/file-change.ts';
import { asPull, type PullIssue, presentPull, presentPullSimple } from '../present/pull.ts';
import { countsOf, mergeBaseOf } from '../pulls/counts.ts';
import { createPull, openPull, withoutOwner } from '../pulls/create.ts';
import { mergeableOf } from '../pulls/mergeable.ts';
import { pointPullRef } from '../pulls/sync.ts';
import { created, type FieldError, forbidden, invalid, ok, type Reply } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { emitPull } from '../webhooks/emit.ts';
import { withBody, withPull } from './handle.ts';
import { Body, Title } from './limits.ts';

const NewPull = z.object({
  title: Title,
  body: Body.nullish(),
  head: z.string().min(1),
  base: z.string().min(1),
  draft: z.boolean().default(false),
});
const ChangedPull = z.object({
  title: Title.optional(),
  body: Body.nullish(),
  state: z.enum(['open', 'closed']).optional(),
  base: z.string().optional(),
});

const pullError = (field: string, code: FieldError['code'], message?: string): Reply =>
  invalid({ resource: 'PullRequest', field, code, ...(message ? { message } : {}) });

async function shown(ctx: Context, issue: PullIssue) {
  return presentPull(
    ctx.urls,
    ctx.repo,
    issue,
    await countsOf(ctx.repo, issue),
    mergeableOf(ctx.repo, issue),
  );
}

async function create(ctx: Context, body: z.infer<typeof NewPull>): Promise<Reply> {
  const result = await createPull(ctx.store, ctx.repo, ctx.actor, { ...body, body: body.body ?? null });
  if (result.kind === 'created') return created(await shown(ctx, result.issue));
  if (result.field !== null) return pullError(result.field, 'invalid');
  return invalid({ resource: 'PullRequest', field: '', code: 'custom', message: result.message });
}

async function update(ctx: Context, issue: PullIssue, body: z.infer<typeof ChangedPull>): Promise<Reply> {
  const { store, repo, actor, principal } = ctx;
  const writer = principal.kind !== 'user' || roleAtLeast(roleOf(repo, principal.user.id), 'triage');
  if (!writer && issue.user !== actor.user) return forbidden();
  if (body.base !== undefined && body.base !== issue.pull.baseRef) {
    const refused = await changeBase(ctx, issue, body.base);
    if (refused) return refused;
  }
  editText(store, repo, issue, actor, { title: body.title, body: body.body });
  if (body.state === 'closed') closeIssue(store, repo, issue, actor);
  if (body.state === 'open' && issue.state === 'closed') {
    const refused = await reopen(ctx, issue);
    if (refused) return refused;
  }
  return ok(await shown(ctx, issue));
}

async function changeBase(ctx: Context, issue: PullIssue, base: string): Promise<Reply | null> {
  const baseSha = await ctx.repo.git.ref(`refs/heads/${base}`);
  if (!baseSha) return pullError('base', 'invalid');
  const changes = { base: { ref: { from: issue.pull.baseRef }, sha: { from: issue.pull.baseSha } } };
  issue.pull.baseRef = base;
  issue.pull.baseSha = baseSha;
  emitPull(ctx.store, ctx.repo, issue, ctx.actor, 'edited', { changes });
  return null;
}

/** A merged one, one whose branch is gone or that has an open twin stays closed. */
async function reopen(ctx: Context, issue: PullIssue): Promise<Reply | null> {
  const { pull } = issue;
  const head = await ctx.repo.git.ref(`refs/heads/${pull.headRef}`);
  const base = await ctx.repo.git.ref(`refs/heads/${pull.baseRef}`);
  if (pull.merged)
    return pullError('state', 'invalid', 'state cannot be changed. The pull request cannot be reopened.');
  if (!head || !base)
    return pullError(
      'state',
      'invalid',
      `state cannot be changed. The ${pull.headRef} branch has been deleted.`,
    );
  if (openPull(ctx.repo, pull.headRef, pull.baseRef))
    return pullError('state', 'invalid', 'state cannot be changed. There is already an open pull request.');
  pull.headSha = head;
  pull.baseSha = base;
  await pointPullRef(ctx.repo, issue);
  reopenIssue(ctx.store, ctx.repo, issue, ctx.actor);
  return null;
}

/** Filters `state`, `head` (`owner:branch`), `base`; newest first unless sorted otherwise. */
function list(ctx: Context): Reply {
  const state = ctx.query.get('state') ?? 'open';
  const head = ctx.query.get('head');
  const base = ctx.query.get('base');
  const found = [...ctx.repo.issues.values()].flatMap((issue) => {
    const pull = asPull(issue);
    if (!pull || (state !== 'all' && issue.state !== state)) return [];
    if (base !== null && pull.pull.baseRef !== base) return [];
    return head === null || pull.pull.headRef === withoutOwner(ctx.repo, head) ? [pull] : [];
  });
  const value = (issue: PullIssue): number =>
    ctx.query.get('sort') === 'updated' ? issue.updatedAt : issue.number;
  const sign = ctx.query.get('direction') === 'asc' ? 1 : -1;
  found.sort((a, b) => sign * (value(a) - value(b) || a.number - b.number));
  const { items, headers } = paginate(ctx, found);
  return ok(
    items.map((issue) => presentPullSimple(ctx.urls, ctx.repo, issue)),
    headers,
  );
}

/** GitHub shows at most 3,000 files. */
async function files(ctx: Context, issue: PullIssue): Promise<Reply> {
  const from = await mergeBaseOf(ctx.repo, issue);
  const changed = await diffFiles(ctx.repo.git, from, issue.pull.headSha);
  const { items, headers } = paginate(ctx, changed.slice(0, 3_000));
  return ok(
    items.map((file) => presentFileChange(ctx.urls, ctx.repo, issue.pull.headSha, file)),
    headers,
  );
}

async function commits(ctx: Context, issue: PullIssue): Promise<Reply> {
  const range = [`${await mergeBaseOf(ctx.repo, issue)}..${issue.pull.headSha}`];
  const { items, headers } = paginate(ctx, await logCommits(ctx.repo.git, range, {}, 250));
  return ok(
    items.map((commit) => presentCommit(ctx.store, ctx.repo, commit)),
    headers,
  );
}

const base = '/repos/{owner}/{repo}/pulls';
const read = repoAccess('pull_requests:read');

export const pullRoutes: readonly Route[] = [
  { operationId: 'pulls/list', method: 'GET', path: base, access: read, handler: list },
  {
    operationId: 'pulls/create',
    method: 'POST',
    path: base,
    access: repoAccess('pull_requests:write', 'read'),
    content: true,
    handler: withBody(NewPull, create, 'PullRequest'),
  },
  {
    operationId: 'pulls/get',
    method: 'GET',
    path: `${base}/{pull_number}`,
    access: read,
    handler: withPull(async (ctx, issue) => ok(await shown(ctx, issue))),
  },
  {
    operationId: 'pulls/update',
    method: 'PATCH',
    path: `${base}/{pull_number}`,
    access: repoAccess('pull_requests:write', 'read'),
    handler: withBody(
      ChangedPull,
      (ctx, body) => withPull((_, issue) => update(ctx, issue, body))(ctx),
      'PullRequest',
    ),
  },
  {
    operationId: 'pulls/list-files',
    method: 'GET',
    path: `${base}/{pull_number}/files`,
    access: read,
    handler: withPull(files),
  },
  {
    operationId: 'pulls/list-commits',
    method: 'GET',
    path: `${base}/{pull_number}/commits`,
    access: read,
    handler: withPull(commits),
  },
];
