import { buildSchema, type GraphQLSchema } from 'graphql';
import { SCHEMA } from './schema.generated.ts';

let built: GraphQLSchema | null = null;

/** The served part of GitHub's public schema, built at the first query. */
export function githubSchema(): GraphQLSchema {
  built ??= buildSchema(SCHEMA, { assumeValid: true });
  return built;
}
