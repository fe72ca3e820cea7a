import { GraphQLError } from 'graphql';
import { mayInRepo, type Need } from '../access.ts';
import type { Actor, Principal } from '../principal.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';

/** Who runs a query, on what. */
export interface Caller {
  readonly store: Store;
  readonly principal: Principal;
  readonly actor: Actor;
}

/** An error in GitHub's shape: `type` stands beside `message`; some of GitHub's have none. */
export const queryError = (type: string | null, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: type === null ? {} : { type } });

/** Throws FORBIDDEN (to be shown as an entry of `errors`) unless the caller holds one of the permissions. */
export function demand(caller: Caller, repo: Repo, anyOf: readonly Need[]): void {
  if (!mayInRepo(caller.principal, repo, anyOf))
    throw queryError('FORBIDDEN', 'Resource not accessible by integration');
}
