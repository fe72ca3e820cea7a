import { canSee } from '../access.ts';
import { iso } from '../iso.ts';
import { movedTo } from '../moved-repos.ts';
import { parseNodeId } from '../node-id.ts';
import { rateLimitOf } from '../rate-limit.ts';
import { actorNode } from './actor-node.ts';
import { type Caller, queryError } from './caller.ts';
import { commentNode, labelNode } from './comment-node.ts';
import { type Found, findNode, unresolved } from './find-node.ts';
import { issueNode, pullNode } from './issue-node.ts';
import { mutationsOf } from './mutations.ts';
import { repositoryNode } from './repository-node.ts';

interface RepositoryArgs {
  readonly owner: string;
  readonly name: string;
  readonly followRenames?: boolean | null;
}

/** Root of queries and mutations for one caller. */
export function rootOf(caller: Caller): object {
  return {
    viewer: () => actorNode(caller.store, caller.actor.user),
    rateLimit: () => rateLimit(caller),
    repository: (args: RepositoryArgs) => repository(caller, args),
    node: (args: { id: string }) => nodeOf(caller, args.id),
    nodes: (args: { ids: readonly string[] }) => args.ids.map((id) => nodeOf(caller, id)),
    ...mutationsOf(caller),
  };
}

function repository(caller: Caller, { owner, name, followRenames }: RepositoryArgs): object {
  const { store } = caller;
  const fullName = `${owner}/${name}`;
  const repo =
    store.repoByName(owner, name) ??
    (followRenames === false ? undefined : movedTo([...store.repos.values()], fullName));
  if (repo && canSee(caller.principal, repo)) return repositoryNode(caller, repo);
  throw queryError('NOT_FOUND', `Could not resolve to a Repository with the name '${fullName}'.`);
}

function rateLimit(caller: Caller) {
  const { limit, used, remaining, reset } = rateLimitOf(caller.store, caller.principal);
  return { cost: 1, limit, nodeCount: 0, remaining, used, resetAt: iso(reset * 1000) };
}

function nodeOf(caller: Caller, id: string): object {
  const found = findNode(caller, id);
  if (found) return shown(caller, found);
  const parsed = parseNodeId(id);
  const user = parsed && caller.store.users.get(parsed.id);
  if (user?.nodeId === id) return actorNode(caller.store, user);
  throw unresolved(id);
}

function shown(caller: Caller, found: Found): object {
  switch (found.kind) {
    case 'repository':
      return repositoryNode(caller, found.repo);
    case 'issue':
      return issueNode(caller, found.repo, found.issue);
    case 'pull':
      return pullNode(caller, found.repo, found.issue);
    case 'comment':
      return commentNode(caller, found.repo, found.comment);
    case 'label':
      return labelNode(found.label);
  }
}
