import { z } from 'zod';
import { holds } from '../access.ts';
import { presentFullRepository } from '../present/repository.ts';
import type { User } from '../records/identity.ts';
import type { Repo } from '../records/repository.ts';
import { commitFor } from '../refs/merge-commits.ts';
import { moveRefs } from '../refs/move-refs.ts';
import { created, forbidden, invalid, notFound, type Reply } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { createRepo } from '../seed.ts';
import { withBody } from './handle.ts';
import { RepositoryName } from './limits.ts';
import { naming } from './naming.ts';

const NewRepo = z.object({
  name: RepositoryName,
  description: z.string().nullish(),
  private: z.boolean().default(false),
  auto_init: z.boolean().default(false),
});

const create = (ctx: Context, owner: User, body: z.infer<typeof NewRepo>): Promise<Reply> =>
  naming.run(() => createNow(ctx, owner, body));

async function createNow(ctx: Context, owner: User, body: z.infer<typeof NewRepo>): Promise<Reply> {
  if (ctx.store.repoByName(owner.login, body.name)) {
    const message = 'name already exists on this account';
    return invalid({ resource: 'Repository', field: 'name', code: 'custom', message });
  }
  const repo = await createRepo(ctx.store, {
    owner,
    name: body.name,
    private: body.private,
    ...(body.description ? { description: body.description } : {}),
  });
  // The name leads to this one now, whoever had it before.
  for (const one of ctx.store.repos.values())
    one.formerNames.delete(`${owner.login}/${body.name}`.toLowerCase());
  if (body.auto_init) await writeFirstCommit(ctx, repo);
  return created(presentFullRepository(ctx.urls, repo, 'admin'));
}

/** `auto_init`: one commit with a README on the default branch. */
async function writeFirstCommit(ctx: Context, repo: Repo): Promise<void> {
  const { git } = repo;
  const text = async (args: readonly string[], input: string) =>
    (await git.run(args, { input })).stdout.toString('utf8').trim();
  const blob = await text(['hash-object', '-w', '--stdin'], `# ${repo.name}\n`);
  const tree = await text(['mktree'], `100644 blob ${blob}\tREADME.md\n`);
  const commit = { tree, parents: [], message: 'Initial commit' };
  const newOid = await commitFor(git, ctx.actor.user, ctx.store.now(), commit);
  const update = { ref: `refs/heads/${repo.defaultBranch}`, oldOid: null, newOid };
  await moveRefs(ctx.store, repo, ctx.principal, [update], { atomic: true });
}

/** An organization's own account, or an app that administers its repositories. */
function createInOrg(ctx: Context, body: z.infer<typeof NewRepo>): Reply | Promise<Reply> {
  const org = ctx.store.userByLogin(ctx.params.org ?? '');
  if (org?.type !== 'Organization') return notFound();
  const { principal } = ctx;
  const may =
    principal.kind === 'installation'
      ? principal.installation.account === org && holds(principal.permissions, 'administration:write')
      : principal.kind === 'user' && principal.user === org;
  return may ? create(ctx, org, body) : forbidden();
}

export const repoCreationRoutes: readonly Route[] = [
  {
    operationId: 'repos/create-for-authenticated-user',
    method: 'POST',
    path: '/user/repos',
    access: { kind: 'token' },
    handler: withBody(
      NewRepo,
      (ctx, body) => (ctx.principal.kind === 'user' ? create(ctx, ctx.principal.user, body) : forbidden()),
      'Repository',
    ),
  },
  {
    operationId: 'repos/create-in-org',
    method: 'POST',
    path: '/orgs/{org}/repos',
    access: { kind: 'token' },
    handler: withBody(NewRepo, createInOrg, 'Repository'),
  },
];
