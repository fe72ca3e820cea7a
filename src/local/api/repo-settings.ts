import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { repoAccess, roleOf } from '../access.ts';
import { renameRepo } from '../moved-repos.ts';
import { presentFullRepository } from '../present/repository.ts';
import { invalid, noContent, ok, type Reply, unprocessable } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { emitWebhook } from '../webhooks/emit.ts';
import { withBody } from './handle.ts';
import { RepositoryName } from './limits.ts';
import { naming } from './naming.ts';

/** What can be set here. Anything else that GitHub knows is refused by name rather than taken without effect. */
const Settings = z.strictObject({
  name: RepositoryName.optional(),
  description: z.string().nullish(),
  private: z.boolean().optional(),
  default_branch: z.string().optional(),
  archived: z.boolean().optional(),
});
type Settings = z.infer<typeof Settings>;

async function update(ctx: Context, body: Settings): Promise<Reply> {
  const { repo, store } = ctx;
  if (repo.archived && body.archived !== false)
    return unprocessable('Repository was archived so is read-only.');
  const refused = (await takesBranch(ctx, body)) ?? takesName(ctx, body);
  if (refused) return refused;
  if (body.name !== undefined && body.name !== repo.name) rename(ctx, body.name);
  if (body.description !== undefined) repo.description = body.description;
  repo.private = body.private ?? repo.private;
  repo.updatedAt = store.now();
  if (body.archived !== undefined && body.archived !== repo.archived) archive(ctx, body.archived);
  const role = ctx.principal.kind === 'user' ? roleOf(repo, ctx.principal.user.id) : 'admin';
  return ok(presentFullRepository(ctx.urls, repo, role));
}

/** The default branch must exist. HEAD follows, for git's own clients. */
async function takesBranch(ctx: Context, { default_branch: branch }: Settings): Promise<Reply | null> {
  if (branch === undefined || branch === ctx.repo.defaultBranch) return null;
  const { git } = ctx.repo;
  if (!(await git.ref(`refs/heads/${branch}`)))
    return invalid({
      resource: 'Repository',
      field: 'default_branch',
      code: 'invalid',
      message: `The branch ${branch} was not found. Please push that ref first or create it via the Git Data API.`,
    });
  await writeFile(join(git.dir, 'HEAD'), `ref: refs/heads/${branch}\n`);
  ctx.repo.defaultBranch = branch;
  return null;
}

function takesName(ctx: Context, { name }: Settings): Reply | null {
  if (name === undefined) return null;
  const other = ctx.store.repoByName(ctx.repo.owner.login, name);
  if (!other || other === ctx.repo) return null;
  const message = 'name already exists on this account';
  return invalid({ resource: 'Repository', field: 'name', code: 'custom', message });
}

function rename(ctx: Context, name: string): void {
  const { repo, store } = ctx;
  const from = repo.name;
  renameRepo(store.repos.values(), repo, name);
  tell(ctx, 'renamed', { changes: { repository: { name: { from } } } });
}

function archive(ctx: Context, archived: boolean): void {
  ctx.repo.archived = archived;
  tell(ctx, archived ? 'archived' : 'unarchived');
}

async function remove(ctx: Context): Promise<Reply> {
  tell(ctx, 'deleted');
  ctx.store.repos.delete(ctx.repo.id);
  await ctx.repo.git.close();
  await rm(ctx.repo.git.dir, { recursive: true, force: true });
  return noContent();
}

function tell(ctx: Context, action: string, body: Record<string, unknown> = {}): void {
  emitWebhook(ctx.store, { event: 'repository', action, repo: ctx.repo, actor: ctx.actor, body });
}

const path = '/repos/{owner}/{repo}';
const access = repoAccess('administration:write', 'admin');

export const repoSettingsRoutes: readonly Route[] = [
  {
    operationId: 'repos/update',
    method: 'PATCH',
    path,
    access,
    handler: withBody(Settings, (ctx, body) => naming.run(() => update(ctx, body)), 'Repository'),
  },
  { operationId: 'repos/delete', method: 'DELETE', path, access, handler: remove },
];
