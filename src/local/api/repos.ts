import { repoAccess, roleOf } from '../access.ts';
import { logCommits } from '../git/commit-log.ts';
import { paginate } from '../paginate.ts';
import { presentCommit } from '../present/commit.ts';
import { presentFullRepository } from '../present/repository.ts';
import { presentUser } from '../present/user.ts';
import type { Role } from '../records/identity.ts';
import { notFound, ok, type Reply } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { covers } from '../rules/applies.ts';

/** GitHub's old four-step scale: maintain counts as write, triage as read. */
const LEGACY: Readonly<Record<Role, string>> = {
  admin: 'admin',
  maintain: 'write',
  write: 'write',
  triage: 'read',
  read: 'read',
};

function permission(ctx: Context): Reply {
  const user = ctx.store.userByLogin(ctx.params.username ?? '');
  if (!user) return notFound();
  const role = roleOf(ctx.repo, user.id);
  return ok({
    permission: role ? LEGACY[role] : 'none',
    role_name: role ?? 'none',
    user: { ...presentUser(ctx.urls, user), role_name: role ?? 'none' },
  });
}

const isProtected = (ctx: Context, branch: string): boolean => {
  const ref = `refs/heads/${branch}`;
  const defaultRef = `refs/heads/${ctx.repo.defaultBranch}`;
  return [...ctx.repo.rulesets.values()].some((ruleset) => covers(ruleset, ref, defaultRef));
};

async function branch(ctx: Context): Promise<Reply> {
  const name = ctx.params.branch ?? '';
  const oid = await ctx.repo.git.ref(`refs/heads/${name}`);
  if (!oid) return notFound();
  const [commit] = await logCommits(ctx.repo.git, [oid], {}, 1);
  const self = `${ctx.urls.repoApi(ctx.repo)}/branches/${name}`;
  return ok({
    name,
    commit: presentCommit(ctx.store, ctx.repo, commit!),
    _links: { self, html: `${ctx.urls.repoHtml(ctx.repo)}/tree/${name}` },
    protected: isProtected(ctx, name),
    protection: { enabled: false },
    protection_url: `${self}/protection`,
  });
}

async function branches(ctx: Context): Promise<Reply> {
  const refs = await ctx.repo.git.refs('refs/heads/');
  const { items, headers } = paginate(ctx, refs);
  const shown = items.map(({ name: ref, oid }) => {
    const name = ref.slice('refs/heads/'.length);
    const url = `${ctx.urls.repoApi(ctx.repo)}/commits/${oid}`;
    return { name, commit: { sha: oid, url }, protected: isProtected(ctx, name) };
  });
  return ok(shown, headers);
}

export const repoRoutes: readonly Route[] = [
  {
    operationId: 'repos/get',
    method: 'GET',
    path: '/repos/{owner}/{repo}',
    access: repoAccess('metadata:read'),
    handler: (ctx) => {
      const role = ctx.principal.kind === 'user' ? roleOf(ctx.repo, ctx.principal.user.id) : 'read';
      return ok(presentFullRepository(ctx.urls, ctx.repo, role));
    },
  },
  {
    operationId: 'repos/get-collaborator-permission-level',
    method: 'GET',
    path: '/repos/{owner}/{repo}/collaborators/{username}/permission',
    access: repoAccess('metadata:read'),
    handler: permission,
  },
  {
    operationId: 'repos/get-branch',
    method: 'GET',
    path: '/repos/{owner}/{repo}/branches/{branch}',
    access: repoAccess('contents:read'),
    handler: branch,
  },
  {
    operationId: 'repos/list-branches',
    method: 'GET',
    path: '/repos/{owner}/{repo}/branches',
    access: repoAccess('contents:read'),
    handler: branches,
  },
];
