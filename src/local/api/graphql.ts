import { type GraphQLError, graphql } from 'graphql';
import { z } from 'zod';
import type { Caller } from '../graphql/caller.ts';
import { rootOf } from '../graphql/root.ts';
import { githubSchema } from '../graphql/schema.ts';
import { ok, type Reply } from '../reply.ts';
import type { Context, Route } from '../router.ts';
import { withBody } from './handle.ts';

/** Name of the GraphQL door for faults and counts: it is no REST operation. */
export const GRAPHQL_OPERATION = 'graphql';

const Query = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

/** GitHub puts the type of an error beside its message. */
function presentError(error: GraphQLError) {
  const { type } = error.extensions as { type?: string };
  return {
    ...(type ? { type } : {}),
    ...(error.path ? { path: error.path } : {}),
    ...(error.locations ? { locations: error.locations } : {}),
    message: error.message,
  };
}

async function run(ctx: Context, body: z.infer<typeof Query>): Promise<Reply> {
  const caller: Caller = { store: ctx.store, principal: ctx.principal, actor: ctx.actor };
  const result = await graphql({
    schema: githubSchema(),
    source: body.query,
    rootValue: rootOf(caller),
    variableValues: body.variables ?? {},
    operationName: body.operationName ?? null,
  });
  const errors = result.errors?.map(presentError);
  return ok({ ...(result.data === undefined ? {} : { data: result.data }), ...(errors ? { errors } : {}) });
}

export const graphqlRoutes: readonly Route[] = [
  {
    operationId: GRAPHQL_OPERATION,
    method: 'POST',
    path: '/graphql',
    access: { kind: 'token' },
    countAs: (body) =>
      /^\s*mutation\b/m.test(String((body as { query?: unknown })?.query)) ? 'write' : 'read',
    handler: withBody(Query, run),
  },
];
