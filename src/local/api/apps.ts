import { z } from 'zod';
import { holds } from '../access.ts';
import { SUSPENDED } from '../authenticate.ts';
import { iso } from '../iso.ts';
import { paginate } from '../paginate.ts';
import { presentApp, presentInstallation, withMetadata } from '../present/app.ts';
import { presentRepository } from '../present/repository.ts';
import type { Installation, PermissionLevel } from '../records/identity.ts';
import type { Repo } from '../records/repository.ts';
import { created, forbidden, noContent, notFound, ok, type Reply, unprocessable } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { suspendInstallation } from '../seed.ts';
import { longToken } from '../store.ts';
import { withBody } from './handle.ts';

const HOUR = 3_600_000;

/** GitHub's limit of repositories that a token may be narrowed to. */
const MAX_REPOSITORIES = 500;

const TokenRequest = z.object({
  repositories: z.array(z.string()).max(MAX_REPOSITORIES).optional(),
  repository_ids: z.array(z.number()).max(MAX_REPOSITORIES).optional(),
  permissions: z.record(z.string(), z.enum(['read', 'write', 'admin'])).optional(),
});

const asApp = (ctx: Context) => (ctx.principal.kind === 'app' ? ctx.principal.app : null)!;

const own = (ctx: Context): Installation | undefined => {
  const found = ctx.store.installations.get(Number(ctx.params.installation_id));
  return found?.app === asApp(ctx) ? found : undefined;
};

const reach = (ctx: Context, installation: Installation): Repo[] =>
  [...ctx.store.repos.values()].filter(
    (repo) =>
      repo.owner === installation.account &&
      (installation.repositories === 'all' || installation.repositories.has(repo.id)),
  );

/** An app may suspend and revive its own installations (REST, "Suspend an app installation"). */
function setSuspended(ctx: Context, suspended: boolean): Reply {
  const installation = own(ctx);
  if (!installation) return notFound();
  suspendInstallation(ctx.store, installation, suspended ? installation.app.owner : null);
  return noContent();
}

/** Narrows by repositories and permissions; asking for more than was granted is 422. */
function mint(ctx: Context, body: z.infer<typeof TokenRequest>): Reply {
  const installation = own(ctx);
  if (!installation) return notFound();
  if (installation.suspendedAt !== null) return forbidden(SUSPENDED);
  const reachable = reach(ctx, installation);
  const wanted = body.repositories || body.repository_ids;
  const chosen = reachable.filter(
    (repo) => body.repositories?.includes(repo.name) || body.repository_ids?.includes(repo.id),
  );
  if (wanted && chosen.length < wanted.length)
    return unprocessable(
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  const asked = Object.entries(body.permissions ?? {}) as [string, PermissionLevel][];
  if (asked.some(([area, level]) => !holds(installation.permissions, `${area}:${level}`)))
    return unprocessable('The permissions requested are not granted to this installation.');
  const permissions = body.permissions ?? installation.permissions;
  const expiresAt = ctx.store.now() + HOUR;
  const token = ctx.store.grant(longToken(ctx.store.randomHex), {
    kind: 'installation',
    installation,
    permissions,
    repositories: wanted ? new Set(chosen.map((repo) => repo.id)) : null,
    expiresAt,
  });
  return created({
    token,
    expires_at: iso(expiresAt),
    permissions: withMetadata(permissions),
    repository_selection: wanted || installation.repositories !== 'all' ? 'selected' : 'all',
    ...(wanted ? { repositories: chosen.map((repo) => presentRepository(ctx.urls, repo)) } : {}),
  });
}

export const appRoutes: readonly Route[] = [
  {
    operationId: 'apps/get-authenticated',
    method: 'GET',
    path: '/app',
    access: { kind: 'app' },
    handler: (ctx) => {
      const app = asApp(ctx);
      const count = [...ctx.store.installations.values()].filter((one) => one.app === app).length;
      return ok({ ...presentApp(ctx.urls, app), installations_count: count });
    },
  },
  {
    operationId: 'apps/list-installations',
    method: 'GET',
    path: '/app/installations',
    access: { kind: 'app' },
    handler: (ctx) => {
      const all = [...ctx.store.installations.values()].filter((one) => one.app === asApp(ctx));
      const { items, headers } = paginate(ctx, all);
      return ok(
        items.map((one) => presentInstallation(ctx.urls, one)),
        headers,
      );
    },
  },
  {
    operationId: 'apps/get-installation',
    method: 'GET',
    path: '/app/installations/{installation_id}',
    access: { kind: 'app' },
    handler: (ctx) => {
      const installation = own(ctx);
      return installation ? ok(presentInstallation(ctx.urls, installation)) : notFound();
    },
  },
  {
    operationId: 'apps/get-repo-installation',
    method: 'GET',
    path: '/repos/{owner}/{repo}/installation',
    access: { kind: 'app' },
    handler: (ctx) => {
      const installation = ctx.store.installationFor(asApp(ctx), ctx.repo);
      return installation ? ok(presentInstallation(ctx.urls, installation)) : notFound();
    },
  },
  {
    operationId: 'apps/create-installation-access-token',
    method: 'POST',
    path: '/app/installations/{installation_id}/access_tokens',
    access: { kind: 'app' },
    handler: withBody(TokenRequest, mint),
  },
  {
    operationId: 'apps/suspend-installation',
    method: 'PUT',
    path: '/app/installations/{installation_id}/suspended',
    access: { kind: 'app' },
    handler: (ctx) => setSuspended(ctx, true),
  },
  {
    operationId: 'apps/unsuspend-installation',
    method: 'DELETE',
    path: '/app/installations/{installation_id}/suspended',
    access: { kind: 'app' },
    handler: (ctx) => setSuspended(ctx, false),
  },
  {
    operationId: 'apps/list-repos-accessible-to-installation',
    method: 'GET',
    path: '/installation/repositories',
    access: { kind: 'token' },
    handler: (ctx) => {
      if (ctx.principal.kind !== 'installation') return notFound();
      const { installation, repositories } = ctx.principal;
      const all = reach(ctx, installation).filter(
        (repo) => repositories === null || repositories.has(repo.id),
      );
      const { items, headers } = paginate(ctx, all);
      const shown = items.map((repo) => presentRepository(ctx.urls, repo));
      return ok({ total_count: all.length, repository_selection: 'selected', repositories: shown }, headers);
    },
  },
];
