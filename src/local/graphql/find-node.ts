import { canSee } from '../access.ts';
import { commentById, issueById, pullById } from '../issues/issue-index.ts';
import { parseNodeId } from '../node-id.ts';
import type { Comment, Issue, Label } from '../records/issue.ts';
import { asPull, type PullIssue } from '../records/pull-issue.ts';
import type { Repo } from '../records/repository.ts';
import { type Caller, queryError } from './caller.ts';

/** What a global node id stands for. */
export type Found =
  | { readonly kind: 'repository'; readonly repo: Repo }
  | { readonly kind: 'issue'; readonly repo: Repo; readonly issue: Issue }
  | { readonly kind: 'pull'; readonly repo: Repo; readonly issue: PullIssue }
  | { readonly kind: 'comment'; readonly repo: Repo; readonly comment: Comment }
  | { readonly kind: 'label'; readonly repo: Repo; readonly label: Label };

/** The thing of a repository that a global id names, if the caller can see it. An id tells its kind and database id. */
export function findNode(caller: Caller, id: string): Found | null {
  const parsed = parseNodeId(id);
  if (!parsed) return null;
  for (const repo of caller.store.repos.values()) {
    const found = canSee(caller.principal, repo) ? inRepo(repo, parsed.prefix, parsed.id) : null;
    if (found) return found;
  }
  return null;
}

function inRepo(repo: Repo, prefix: string, id: number): Found | null {
  switch (prefix) {
    case 'R':
      return repo.id === id ? { kind: 'repository', repo } : null;
    case 'I': {
      const issue = issueById(repo, id);
      return issue && !asPull(issue) ? { kind: 'issue', repo, issue } : null;
    }
    case 'PR': {
      const issue = pullById(repo, id);
      return issue ? { kind: 'pull', repo, issue } : null;
    }
    case 'IC': {
      const placed = commentById(repo, id);
      return placed ? { kind: 'comment', repo, comment: placed.comment } : null;
    }
    case 'LA': {
      const label = repo.labels.find((one) => one.id === id);
      return label ? { kind: 'label', repo, label } : null;
    }
    default:
      return null;
  }
}

export const unresolved = (id: string) =>
  queryError('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);

/** As `findNode`, of one kind alone; throws NOT_FOUND otherwise. */
export function demandNode<K extends Found['kind']>(
  caller: Caller,
  id: string,
  kind: K,
): Extract<Found, { kind: K }> {
  const found = findNode(caller, id);
  if (found?.kind !== kind) throw unresolved(id);
  return found as Extract<Found, { kind: K }>;
}
