import { nodeId } from '../node-id.ts';
import { presentComment, presentIssue } from '../present/issue.ts';
import type { Actor } from '../principal.ts';
import type { Comment, Issue } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { emitWebhook } from '../webhooks/emit.ts';
import { noteComment, noteCommentGone } from './issue-index.ts';
import { crossReference } from './references.ts';
import { record } from './timeline.ts';

export function createComment(store: Store, repo: Repo, issue: Issue, actor: Actor, body: string): Comment {
  const id = store.nextId('comment');
  const now = store.now();
  const comment: Comment = {
    id,
    nodeId: nodeId('IC', id),
    issueNumber: issue.number,
    user: actor.user,
    app: actor.app,
    body,
    createdAt: now,
    updatedAt: now,
    lastEditedAt: null,
    editor: null,
  };
  issue.comments.push(comment);
  noteComment(repo, issue, comment);
  record(store, issue, actor, 'commented', { comment });
  crossReference(store, repo, issue, actor, body);
  tell(store, repo, issue, comment, actor, 'created');
  return comment;
}

/** Changes a comment's body; the same body again changes nothing. */
export function editComment(
  store: Store,
  repo: Repo,
  issue: Issue,
  comment: Comment,
  actor: Actor,
  body: string,
): void {
  if (comment.body === body) return;
  const from = comment.body;
  comment.body = body;
  comment.updatedAt = store.now();
  comment.lastEditedAt = store.now();
  comment.editor = actor.user;
  tell(store, repo, issue, comment, actor, 'edited', { changes: { body: { from } } });
}

export function deleteComment(store: Store, repo: Repo, issue: Issue, comment: Comment, actor: Actor): void {
  issue.comments.splice(issue.comments.indexOf(comment), 1);
  noteCommentGone(repo, comment);
  issue.timeline.splice(
    issue.timeline.findIndex((entry) => entry.comment === comment),
    1,
  );
  tell(store, repo, issue, comment, actor, 'deleted');
}

function tell(
  store: Store,
  repo: Repo,
  issue: Issue,
  comment: Comment,
  actor: Actor,
  action: string,
  extra: Record<string, unknown> = {},
): void {
  const body = {
    issue: presentIssue(store.urls, repo, issue),
    comment: presentComment(store.urls, repo, comment),
    ...extra,
  };
  emitWebhook(store, { event: 'issue_comment', action, repo, actor, body });
}
