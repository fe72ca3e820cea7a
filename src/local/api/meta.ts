import { rateLimitOf } from '../rate-limit.ts';
import { ok } from '../reply.ts';
import type { Route } from '../router.ts';

export const metaRoutes: readonly Route[] = [
  {
    operationId: 'rate-limit/get',
    method: 'GET',
    path: '/rate_limit',
    access: { kind: 'public' },
    handler: (ctx) => {
      const core = rateLimitOf(ctx.store, ctx.principal);
      const graphql = rateLimitOf(ctx.store, ctx.principal, 'graphql');
      const search = { ...core, limit: 30, used: 0, remaining: 30 };
      return ok({ resources: { core, search, graphql }, rate: core });
    },
  },
];
