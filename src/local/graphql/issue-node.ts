import { iso, isoOrNull } from '../iso.ts';
import { issuesOf } from '../issues/issue-index.ts';
import { associationOf } from '../present/association.ts';
import { issueHtml } from '../present/issue.ts';
import type { PullIssue } from '../present/pull.ts';
import { countsOf } from '../pulls/counts.ts';
import { mergeableOf } from '../pulls/mergeable.ts';
import type { Issue } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { actorNode, actorNodeOrNull } from './actor-node.ts';
import type { Caller } from './caller.ts';
import { commentNode, labelNode, reviewNode } from './comment-node.ts';
import { type ConnectionArgs, connection } from './connection.ts';
import { commitNode } from './git-node.ts';
import { repositoryNode } from './repository-node.ts';
import { type TimelineArgs, timelineItems } from './timeline-node.ts';

/** What issues and pull requests have in common. */
function sharedFields(caller: Caller, repo: Repo, issue: Issue) {
  const { store } = caller;
  return {
    number: issue.number,
    title: issue.title,
    body: issue.body ?? '',
    author: actorNode(store, issue.user),
    authorAssociation: associationOf(repo, issue.user),
    editor: actorNodeOrNull(store, issue.editor),
    createdAt: iso(issue.createdAt),
    updatedAt: iso(issue.updatedAt),
    closedAt: isoOrNull(issue.closedAt),
    closed: issue.state === 'closed',
    lastEditedAt: isoOrNull(issue.lastEditedAt),
    includesCreatedEdit: issue.lastEditedAt !== null,
    locked: issue.locked,
    url: issueHtml(store.urls, repo, issue),
    repository: () => repositoryNode(caller, repo),
    labels: (args: ConnectionArgs) => connection('labels', issue.labels, args, labelNode),
    comments: (args: ConnectionArgs) =>
      connection('comments', issue.comments, args, (comment) => commentNode(caller, repo, comment)),
    userContentEdits: (args: ConnectionArgs) => contentEdits(store, issue, args),
    timelineItems: (args: TimelineArgs) => timelineItems(caller, repo, issue, args),
  };
}

/** As GitHub shows it: null for a text that never changed; else newest first, with the text as first written as the oldest. */
function contentEdits(store: Store, issue: Issue, args: ConnectionArgs) {
  if (issue.edits.length === 0) return null;
  const all = [{ editor: issue.user, at: issue.createdAt }, ...issue.edits].reverse();
  return connection('userContentEdits', all, args, (edit) => ({
    id: Buffer.from(`UserContentEdit:${issue.id}:${edit.at}`).toString('base64'),
    createdAt: iso(edit.at),
    editedAt: iso(edit.at),
    editor: actorNode(store, edit.editor),
  }));
}

export function issueNode(caller: Caller, repo: Repo, issue: Issue): object {
  const list = (name: string, issues: readonly Issue[], args: ConnectionArgs) =>
    connection(name, issues, args, (one) => issueNode(caller, repo, one));
  return {
    __typename: 'Issue',
    id: issue.nodeId,
    databaseId: issue.id,
    fullDatabaseId: String(issue.id),
    ...sharedFields(caller, repo, issue),
    state: issue.state.toUpperCase(),
    stateReason: issue.stateReason?.toUpperCase() ?? null,
    blockedBy: (args: ConnectionArgs) => list('blockedBy', issuesOf(repo, issue.blockedBy), args),
    blocking: (args: ConnectionArgs) => list('blocking', issuesOf(repo, issue.blocking), args),
    parent: () => {
      const [parent] = issuesOf(repo, issue.parentId === null ? [] : [issue.parentId]);
      return parent ? issueNode(caller, repo, parent) : null;
    },
    subIssues: (args: ConnectionArgs) => list('subIssues', issuesOf(repo, issue.subIssues), args),
  };
}

const MERGEABLE = new Map([
  [true, 'MERGEABLE'],
  [false, 'CONFLICTING'],
]);

export function pullNode(caller: Caller, repo: Repo, issue: PullIssue): object {
  const { pull } = issue;
  const counts = async () => countsOf(repo, issue);
  return {
    __typename: 'PullRequest',
    id: pull.nodeId,
    databaseId: pull.id,
    fullDatabaseId: String(pull.id),
    ...sharedFields(caller, repo, issue),
    state: pull.merged ? 'MERGED' : issue.state.toUpperCase(),
    isDraft: pull.draft,
    merged: pull.merged,
    mergedAt: isoOrNull(pull.mergedAt),
    mergedBy: actorNodeOrNull(caller.store, pull.mergedBy),
    mergeable: () => MERGEABLE.get(mergeableOf(repo, issue) ?? (null as never)) ?? 'UNKNOWN',
    mergeCommit: () => (pull.mergeCommitSha ? commitNode(repo, pull.mergeCommitSha) : null),
    headRefName: pull.headRef,
    headRefOid: pull.headSha,
    baseRefName: pull.baseRef,
    baseRefOid: pull.baseSha,
    additions: async () => (await counts()).additions,
    deletions: async () => (await counts()).deletions,
    changedFiles: async () => (await counts()).changed_files,
    reviews: (args: ConnectionArgs & { states?: readonly string[] | null }) => {
      const wanted = pull.reviews.filter(
        (review) => args.states == null || args.states.includes(review.state),
      );
      return connection('reviews', wanted, args, (review) => reviewNode(caller, repo, issue, review));
    },
  };
}
