import { mayInRepo, type Need } from '../access.ts';
import { isAncestor } from '../git/ancestry.ts';
import { isOid, ZERO_OID } from '../git/oid.ts';
import { addDependency, removeDependency } from '../issues/dependencies.ts';
import { deleteIssue, transferIssue } from '../issues/leave.ts';
import { addSubIssue, removeSubIssue } from '../issues/sub-issues.ts';
import { setDraft } from '../pulls/draft.ts';
import type { Role } from '../records/identity.ts';
import type { Issue } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import { moveRefs, type RefUpdate } from '../refs/move-refs.ts';
import { type Caller, demand, queryError } from './caller.ts';
import { demandNode } from './find-node.ts';
import { issueNode, pullNode } from './issue-node.ts';
import { repositoryNode } from './repository-node.ts';

type Input<T> = { readonly input: T & { readonly clientMutationId?: string | null } };

/** Mutations of GitHub's schema that are served here. */
export function mutationsOf(caller: Caller): Record<string, (args: never) => unknown> {
  return {
    markPullRequestReadyForReview: (args: Input<DraftInput>) => changeDraft(caller, args, false),
    convertPullRequestToDraft: (args: Input<DraftInput>) => changeDraft(caller, args, true),
    updateRefs: (args: Input<RefsInput>) => updateRefs(caller, args),
    transferIssue: (args: Input<TransferInput>) => transfer(caller, args),
    deleteIssue: (args: Input<{ issueId: string }>) => remove(caller, args),
    addSubIssue: (args: Input<SubIssueInput>) => changeSubIssue(caller, args, true),
    removeSubIssue: (args: Input<SubIssueInput>) => changeSubIssue(caller, args, false),
    addBlockedBy: (args: Input<BlockedInput>) => changeBlocked(caller, args, true),
    removeBlockedBy: (args: Input<BlockedInput>) => changeBlocked(caller, args, false),
  };
}

const echo = (input: { readonly clientMutationId?: string | null }) => ({
  clientMutationId: input.clientMutationId ?? null,
});

/** Throws FORBIDDEN unless the caller holds the permission, people by `role`. */
function demandRole(caller: Caller, repo: Repo, need: Need, role: Role): void {
  if (!mayInRepo(caller.principal, repo, [need], role))
    throw queryError('FORBIDDEN', 'Resource not accessible by integration');
}

interface DraftInput {
  readonly pullRequestId: string;
}

function changeDraft(caller: Caller, { input }: Input<DraftInput>, draft: boolean): object {
  const { repo, issue } = demandNode(caller, input.pullRequestId, 'pull');
  demand(caller, repo, ['pull_requests:write']);
  if (issue.state === 'closed') throw queryError('UNPROCESSABLE', 'Pull request is closed');
  setDraft(caller.store, repo, issue, caller.actor, draft);
  return { ...echo(input), pullRequest: pullNode(caller, repo, issue) };
}

interface RefsInput {
  readonly repositoryId: string;
  readonly refUpdates: readonly {
    readonly name: string;
    readonly beforeOid?: string | null;
    readonly afterOid: string;
    readonly force?: boolean | null;
  }[];
}

/** All refs or none. GitHub's error for a stale `beforeOid` has no type: callers have to look again. */
async function updateRefs(caller: Caller, { input }: Input<RefsInput>): Promise<object> {
  const { repo } = demandNode(caller, input.repositoryId, 'repository');
  demand(caller, repo, ['contents:write']);
  const updates: RefUpdate[] = [];
  for (const one of input.refUpdates) {
    const before = await repo.git.ref(one.name);
    const moves = before !== null && one.afterOid !== ZERO_OID && isOid(one.afterOid);
    if (moves && !one.force && !(await isAncestor(repo.git, before, one.afterOid)))
      throw queryError('UNPROCESSABLE', `Update of ${one.name} is not a fast forward`);
    updates.push({ ref: one.name, oldOid: one.beforeOid ?? null, newOid: one.afterOid });
  }
  const outcomes = await moveRefs(caller.store, repo, caller.principal, updates, { atomic: true });
  const refused = outcomes.find((one) => one.kind === 'refused' && one.cause !== 'atomic');
  if (refused?.kind === 'refused')
    throw queryError(
      refused.cause === 'rules' ? 'UNPROCESSABLE' : null,
      [`Reference update failed: ${refused.ref}: ${refused.reason}`, ...refused.messages].join('\n').trim(),
    );
  return echo(input);
}

interface TransferInput {
  readonly issueId: string;
  readonly repositoryId: string;
  readonly createLabelsIfMissing?: boolean | null;
}

function transfer(caller: Caller, { input }: Input<TransferInput>): object {
  const { repo, issue } = demandNode(caller, input.issueId, 'issue');
  const target = demandNode(caller, input.repositoryId, 'repository').repo;
  demandRole(caller, repo, 'issues:write', 'write');
  demandRole(caller, target, 'issues:write', 'write');
  if (target === repo || target.owner !== repo.owner)
    throw queryError('UNPROCESSABLE', 'Issues can only be transferred between repositories of one owner');
  const moved = transferIssue(caller.store, repo, target, caller.actor, issue, {
    createLabels: input.createLabelsIfMissing === true,
  });
  return { ...echo(input), issue: issueNode(caller, target, moved) };
}

function remove(caller: Caller, { input }: Input<{ issueId: string }>): object {
  const { repo, issue } = demandNode(caller, input.issueId, 'issue');
  demandRole(caller, repo, 'issues:write', 'admin');
  deleteIssue(caller.store, repo, caller.actor, issue);
  return { ...echo(input), repository: repositoryNode(caller, repo) };
}

interface SubIssueInput {
  readonly issueId: string;
  readonly subIssueId: string;
  readonly replaceParent?: boolean | null;
}

/** Both issues, of one repository, for a caller who may edit edges. */
function pairOf(caller: Caller, first: string, second: string): { repo: Repo; issue: Issue; other: Issue } {
  const { repo, issue } = demandNode(caller, first, 'issue');
  const other = demandNode(caller, second, 'issue');
  demandRole(caller, repo, 'issues:write', 'triage');
  if (other.repo !== repo)
    throw queryError('UNPROCESSABLE', 'Issues of two repositories are not served here');
  return { repo, issue, other: other.issue };
}

function changeSubIssue(caller: Caller, { input }: Input<SubIssueInput>, add: boolean): object {
  const { repo, issue, other } = pairOf(caller, input.issueId, input.subIssueId);
  const { store, actor } = caller;
  const refused = add
    ? addSubIssue(store, repo, actor, issue, other, input.replaceParent === true)
    : removeSubIssue(store, repo, actor, issue, other)
      ? null
      : 'The provided sub-issue does not exist';
  if (refused !== null) throw queryError('VALIDATION', refused);
  return { ...echo(input), issue: issueNode(caller, repo, issue), subIssue: issueNode(caller, repo, other) };
}

interface BlockedInput {
  readonly issueId: string;
  readonly blockingIssueId: string;
}

function changeBlocked(caller: Caller, { input }: Input<BlockedInput>, add: boolean): object {
  const { repo, issue, other } = pairOf(caller, input.issueId, input.blockingIssueId);
  const { store, actor } = caller;
  const refused = add
    ? addDependency(store, repo, actor, issue, other)
    : removeDependency(store, repo, actor, issue, other)
      ? null
      : 'The dependency does not exist';
  if (refused !== null) throw queryError('VALIDATION', refused);
  const blocking = issueNode(caller, repo, other);
  return { ...echo(input), issue: issueNode(caller, repo, issue), blockingIssue: blocking };
}
