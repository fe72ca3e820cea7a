import { nodeId } from '../node-id.ts';
import { presentIssue } from '../present/issue.ts';
import { presentRepository } from '../present/repository.ts';
import type { Actor } from '../principal.ts';
import type { Issue } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { emitIssue, emitWebhook } from '../webhooks/emit.ts';
import { dropIssue, issueById } from './issue-index.ts';
import { findLabel, labelByName } from './labels.ts';
import { record } from './timeline.ts';

/** Deletes an issue for good: its number answers 410 from now on. */
export function deleteIssue(store: Store, repo: Repo, actor: Actor, issue: Issue): void {
  emitIssue(store, repo, issue, actor, 'deleted');
  cutEdges(repo, issue);
  dropIssue(repo, issue);
  repo.formerIssues.set(issue.number, { kind: 'deleted' });
}

/**
 * Moves an issue to another repository, under a new number and new ids, with its comments and history; labels come along
 * where the target has them, or where it may make them (GitHub documentation, "Transferring an issue").
 */
export function transferIssue(
  store: Store,
  from: Repo,
  to: Repo,
  actor: Actor,
  issue: Issue,
  options: { readonly createLabels: boolean },
): Issue {
  cutEdges(from, issue);
  const id = store.nextId('issue');
  const number = to.nextNumber++;
  const labels = issue.labels.flatMap((label) =>
    options.createLabels ? labelByName(store, to, label.name) : (findLabel(to, label.name) ?? []),
  );
  const moved: Issue = {
    ...issue,
    id,
    nodeId: nodeId('I', id),
    number,
    labels,
    comments: issue.comments.map((comment) => ({ ...comment, issueNumber: number })),
    timeline: issue.timeline.filter((entry) => !entry.comment),
  };
  for (const comment of moved.comments) {
    const entry = issue.timeline.find((one) => one.comment?.id === comment.id);
    if (entry) moved.timeline.push({ ...entry, comment });
  }
  moved.timeline.sort((a, b) => a.id - b.id);
  to.issues.set(number, moved);
  record(store, moved, actor, 'transferred');
  const changes = {
    new_issue: presentIssue(store.urls, to, moved),
    new_repository: presentRepository(store.urls, to),
  };
  emitIssue(store, from, issue, actor, 'transferred', { changes });
  dropIssue(from, issue);
  from.formerIssues.set(issue.number, { kind: 'transferred', repositoryId: to.id, number });
  tellOpened(store, to, moved, actor, from, issue);
  return moved;
}

/** The new place hears of it as of an issue that was opened. */
function tellOpened(store: Store, to: Repo, moved: Issue, actor: Actor, from: Repo, issue: Issue): void {
  const changes = {
    old_issue: presentIssue(store.urls, from, issue),
    old_repository: presentRepository(store.urls, from),
  };
  const body = { issue: presentIssue(store.urls, to, moved), changes };
  emitWebhook(store, { event: 'issues', action: 'opened', repo: to, actor, body });
}

/** Dependencies and sub-issues of this repository end with it. */
function cutEdges(repo: Repo, issue: Issue): void {
  for (const id of issue.blockedBy) issueById(repo, id)?.blocking.delete(issue.id);
  for (const id of issue.blocking) issueById(repo, id)?.blockedBy.delete(issue.id);
  issue.blockedBy.clear();
  issue.blocking.clear();
  for (const id of issue.subIssues) {
    const child = issueById(repo, id);
    if (child) child.parentId = null;
  }
  issue.subIssues.length = 0;
  const parent = issue.parentId === null ? undefined : issueById(repo, issue.parentId);
  parent?.subIssues.splice(parent.subIssues.indexOf(issue.id), 1);
  issue.parentId = null;
}
