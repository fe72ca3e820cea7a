import { iso, isoOrNull } from '../iso.ts';
import { associationOf } from '../present/association.ts';
import { presentComment } from '../present/issue.ts';
import type { PullIssue } from '../present/pull.ts';
import { presentReview } from '../present/review.ts';
import type { Comment, Label, Review } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import { actorNode, actorNodeOrNull } from './actor-node.ts';
import type { Caller } from './caller.ts';

export const labelNode = (label: Label) => ({
  __typename: 'Label',
  id: label.nodeId,
  name: label.name,
  color: label.color,
  description: label.description,
});

export function commentNode(caller: Caller, repo: Repo, comment: Comment) {
  return {
    __typename: 'IssueComment',
    id: comment.nodeId,
    databaseId: comment.id,
    fullDatabaseId: String(comment.id),
    body: comment.body,
    author: actorNode(caller.store, comment.user),
    authorAssociation: associationOf(repo, comment.user),
    editor: actorNodeOrNull(caller.store, comment.editor),
    includesCreatedEdit: comment.lastEditedAt !== null,
    createdAt: iso(comment.createdAt),
    updatedAt: iso(comment.updatedAt),
    lastEditedAt: isoOrNull(comment.lastEditedAt),
    url: presentComment(caller.store.urls, repo, comment).html_url,
  };
}

export function reviewNode(caller: Caller, repo: Repo, issue: PullIssue, review: Review) {
  return {
    __typename: 'PullRequestReview',
    id: review.nodeId,
    databaseId: review.id,
    fullDatabaseId: String(review.id),
    body: review.body,
    state: review.state,
    author: actorNode(caller.store, review.user),
    authorAssociation: associationOf(repo, review.user),
    editor: null,
    commit: { __typename: 'Commit', oid: review.commitId, id: `C_${review.commitId}` },
    createdAt: iso(review.submittedAt),
    submittedAt: iso(review.submittedAt),
    updatedAt: iso(review.lastEditedAt ?? review.submittedAt),
    lastEditedAt: isoOrNull(review.lastEditedAt),
    url: presentReview(caller.store.urls, repo, issue, review).html_url,
  };
}
