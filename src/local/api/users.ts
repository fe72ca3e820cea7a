import { iso } from '../iso.ts';
import { presentUser } from '../present/user.ts';
import type { User } from '../records/identity.ts';
import { forbidden, notFound, ok } from '../reply.ts';
import type { Context, Route } from '../router.ts';

const full = (ctx: Context, user: User) => ({
  ...presentUser(ctx.urls, user),
  name: user.login,
  company: null,
  blog: '',
  location: null,
  email: null,
  hireable: null,
  bio: null,
  twitter_username: null,
  public_repos: 0,
  public_gists: 0,
  followers: 0,
  following: 0,
  created_at: iso(user.createdAt),
  updated_at: iso(user.createdAt),
});

export const userRoutes: readonly Route[] = [
  {
    operationId: 'users/get-by-username',
    method: 'GET',
    path: '/users/{username}',
    access: { kind: 'public' },
    handler: (ctx) => {
      const user = ctx.store.userByLogin(ctx.params.username ?? '');
      return user ? ok(full(ctx, user)) : notFound();
    },
  },
  {
    operationId: 'users/get-authenticated',
    method: 'GET',
    path: '/user',
    access: { kind: 'token' },
    handler: (ctx) => (ctx.principal.kind === 'user' ? ok(full(ctx, ctx.principal.user)) : forbidden()),
  },
];
