import { canSee } from '../access.ts';
import { iso } from '../iso.ts';
import { parseNodeId } from '../node-id.ts';
import { asPull, type PullIssue } from '../present/pull.ts';
import { setDraft } from '../pulls/draft.ts';
import { rateLimitOf } from '../rate-limit.ts';
import type { Repo } from '../records/repository.ts';
import { actorNode } from './actor-node.ts';
import { type Caller, demand, queryError } from './caller.ts';
import { commentNode, labelNode } from './comment-node.ts';
import { issueNode, pullNode } from './issue-node.ts';
import { repositoryNode } from './repository-node.ts';

const unresolved = (id: string) =>
  queryError('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);

/** Root of queries and mutations for one caller. */
export function rootOf(caller: Caller): object {
  const { store } = caller;
  return {
    viewer: () => actorNode(store, caller.actor.user),
    rateLimit: () => rateLimit(caller),
    repository: (args: { owner: string; name: string }) => {
      const repo = store.repoByName(args.owner, args.name);
      if (repo && canSee(caller.principal, repo)) return repositoryNode(caller, repo);
      const name = `${args.owner}/${args.name}`;
      throw queryError('NOT_FOUND', `Could not resolve to a Repository with the name '${name}'.`);
    },
    node: (args: { id: string }) => nodeOf(caller, args.id),
    nodes: (args: { ids: readonly string[] }) => args.ids.map((id) => nodeOf(caller, id)),
    markPullRequestReadyForReview: (args: DraftArgs) => changeDraft(caller, args, false),
    convertPullRequestToDraft: (args: DraftArgs) => changeDraft(caller, args, true),
  };
}

function rateLimit(caller: Caller) {
  const { limit, used, remaining, reset } = rateLimitOf(caller.store, caller.principal, 'graphql');
  return { cost: 1, limit, nodeCount: 0, remaining, used, resetAt: iso(reset * 1000) };
}

function nodeOf(caller: Caller, id: string): object {
  for (const repo of caller.store.repos.values()) {
    const found = canSee(caller.principal, repo) ? nodeIn(caller, repo, id) : null;
    if (found) return found;
  }
  const parsed = parseNodeId(id);
  const user = parsed && caller.store.users.get(parsed.id);
  if (user?.nodeId === id) return actorNode(caller.store, user);
  throw unresolved(id);
}

function nodeIn(caller: Caller, repo: Repo, id: string): object | null {
  if (repo.nodeId === id) return repositoryNode(caller, repo);
  const label = repo.labels.find((one) => one.nodeId === id);
  if (label) return labelNode(label);
  for (const issue of repo.issues.values()) {
    const pull = asPull(issue);
    if (pull?.pull.nodeId === id) return pullNode(caller, repo, pull);
    if (!pull && issue.nodeId === id) return issueNode(caller, repo, issue);
    const comment = issue.comments.find((one) => one.nodeId === id);
    if (comment) return commentNode(caller, repo, comment);
  }
  return null;
}

interface DraftArgs {
  readonly input: { readonly pullRequestId: string; readonly clientMutationId?: string | null };
}

function changeDraft(caller: Caller, { input }: DraftArgs, draft: boolean): object {
  const { repo, issue } = findPull(caller, input.pullRequestId);
  demand(caller, repo, ['pull_requests:write']);
  if (issue.state === 'closed') throw queryError('UNPROCESSABLE', 'Pull request is closed');
  setDraft(caller.store, repo, issue, caller.actor, draft);
  return { clientMutationId: input.clientMutationId ?? null, pullRequest: pullNode(caller, repo, issue) };
}

function findPull(caller: Caller, id: string): { repo: Repo; issue: PullIssue } {
  for (const repo of caller.store.repos.values())
    for (const issue of repo.issues.values()) {
      const pull = asPull(issue);
      if (pull?.pull.nodeId === id && canSee(caller.principal, repo)) return { repo, issue: pull };
    }
  throw unresolved(id);
}
