import { type DocumentNode, execute, type GraphQLError, parse, validate } from 'graphql';
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

type ReadQuery =
  | { readonly kind: 'valid'; readonly document: DocumentNode }
  | { readonly kind: 'broken'; readonly errors: readonly GraphQLError[] };

/** Clients send few queries over and over: what was parsed and checked is kept. */
const KEPT_QUERIES = 200;
const readBefore = new Map<string, ReadQuery>();

function readQuery(text: string): ReadQuery {
  const known = readBefore.get(text);
  if (known) return known;
  const fresh = parseQuery(text);
  if (readBefore.size >= KEPT_QUERIES) readBefore.delete(readBefore.keys().next().value!);
  readBefore.set(text, fresh);
  return fresh;
}

function parseQuery(text: string): ReadQuery {
  try {
    const document = parse(text);
    const errors = validate(githubSchema(), document);
    return errors.length > 0 ? { kind: 'broken', errors } : { kind: 'valid', document };
  } catch (fault) {
    return { kind: 'broken', errors: [fault as GraphQLError] };
  }
}

async function run(ctx: Context, body: z.infer<typeof Query>): Promise<Reply> {
  const caller: Caller = { store: ctx.store, principal: ctx.principal, actor: ctx.actor };
  const query = readQuery(body.query);
  if (query.kind === 'broken') return ok({ errors: query.errors.map(presentError) });
  const result = await execute({
    schema: githubSchema(),
    document: query.document,
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
