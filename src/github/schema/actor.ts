import { z } from 'zod';
import { databaseIdSchema } from '../../domain/ids.ts';
import type { Actor } from '../../domain/snapshot.ts';

/** The account that GitHub shows in place of a deleted one. It may write nothing. */
export const ghost: Actor = { id: 10_137, login: 'ghost', kind: 'user', mayWrite: false };

const restUserSchema = z.object({
  id: databaseIdSchema,
  login: z.string().min(1).max(100),
  type: z.string(),
});

/** A user of the REST API as an actor whose right to write is not read; null (a deleted account) as the ghost. */
export const restActorSchema = restUserSchema.nullish().transform((user): Actor => {
  if (user == null) return ghost;
  return { id: user.id, login: user.login, kind: user.type === 'Bot' ? 'app' : 'user', mayWrite: null };
});

const graphqlActor = z.object({
  __typename: z.string(),
  login: z.string().min(1).max(100),
  databaseId: databaseIdSchema.nullish(),
});

/** Fields of `graphqlActorSchema` for a query. */
export const graphqlActorFields = '__typename login ... on User { databaseId } ... on Bot { databaseId }';

/** An actor of the GraphQL API. Bots are named there without the `[bot]` that REST gives them. */
export const graphqlActorSchema = graphqlActor.nullish().transform((actor): Actor => {
  if (actor?.databaseId == null) return ghost;
  if (actor.__typename !== 'Bot')
    return { id: actor.databaseId, login: actor.login, kind: 'user', mayWrite: null };
  const login = actor.login.endsWith('[bot]') ? actor.login : `${actor.login}[bot]`;
  return { id: actor.databaseId, login, kind: 'app', mayWrite: null };
});
