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
      const idle = { ...core, used: 0, remaining: core.limit };
      return ok({ resources: { core, search: idle, graphql: idle }, rate: core });
    },
  },
];
