import { type DocumentNode, execute, GraphQLError, parse, validate } from 'graphql';
import { z } from 'zod';
import type { Caller } from '../graphql/caller.ts';
import { tooMuch } from '../graphql/query-bounds.ts';
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
  const { type } = error.extensions as { type?: unknown };
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

/** Longer queries are no client's: what checks them takes time that grows with their square. */
const MAX_TOKENS = 10_000;
/** Deeper ones are none either, and what walks them calls itself for each level. */
const MAX_DEPTH = 100;
/** Longer texts are not kept. */
const MAX_KEPT = 50_000;

/** Clients send few queries over and over: what was parsed and checked is kept. */
const KEPT_QUERIES = 200;
const readBefore = new Map<string, ReadQuery>();

function readQuery(text: string): ReadQuery {
  const known = readBefore.get(text);
  if (known) return known;
  const fresh = parseQuery(text);
  if (text.length > MAX_KEPT) return fresh;
  if (readBefore.size >= KEPT_QUERIES) readBefore.delete(readBefore.keys().next().value!);
  readBefore.set(text, fresh);
  return fresh;
}

function parseQuery(text: string): ReadQuery {
  try {
    // Both are looked at before they are walked, by the parser as well.
    if (depthOf(text) > MAX_DEPTH) throw new GraphQLError(`Query has depth of more than ${MAX_DEPTH}`);
    const document = parse(text, { maxTokens: MAX_TOKENS });
    const errors = validate(githubSchema(), document);
    return errors.length > 0 ? { kind: 'broken', errors } : { kind: 'valid', document };
  } catch (fault) {
    const error = fault instanceof GraphQLError ? fault : new GraphQLError('Query cannot be read');
    return { kind: 'broken', errors: [error] };
  }
}

/** Strings and comments, or one bracket. */
const STRUCTURE = /#[^\n\r]*|"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|[[\](){}]/g;

/** The deepest nesting of brackets outside strings. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [part] of text.matchAll(STRUCTURE)) {
    if (part.length > 1 || part === '#') continue;
    depth += '[({'.includes(part) ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

async function run(ctx: Context, body: z.infer<typeof Query>): Promise<Reply> {
  const caller: Caller = { store: ctx.store, principal: ctx.principal, actor: ctx.actor };
  const query = readQuery(body.query);
  if (query.kind === 'broken') return ok({ errors: query.errors.map(presentError) });
  const refused = tooMuch(query.document, body.variables ?? {});
  if (refused) return ok({ errors: [refused] });
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
      /^[ \t,]*mutation\b/m.test(String((body as { query?: unknown })?.query)) ? 'write' : 'read',
    handler: withBody(Query, run),
  },
];
