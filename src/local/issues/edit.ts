import type { Actor } from '../principal.ts';
import type { Issue } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { emitIssue } from '../webhooks/emit.ts';
import { noteState } from './issue-index.ts';
import { crossReference } from './references.ts';
import { record } from './timeline.ts';

/** Changes title or body. `lastEditedAt` moves with the body alone, as GraphQL reports it. */
export function editText(
  store: Store,
  repo: Repo,
  issue: Issue,
  actor: Actor,
  change: { readonly title?: string | undefined; readonly body?: string | null | undefined },
): void {
  const changes: Record<string, { from: string }> = {};
  if (change.title !== undefined && change.title !== issue.title) {
    changes.title = { from: issue.title };
    record(store, issue, actor, 'renamed', { rename: { from: issue.title, to: change.title } });
    issue.title = change.title;
  }
  if (change.body !== undefined && change.body !== issue.body) {
    changes.body = { from: issue.body ?? '' };
    issue.body = change.body;
    issue.lastEditedAt = store.now();
    issue.editor = actor.user;
    issue.edits.push({ editor: actor.user, at: store.now() });
    crossReference(store, repo, issue, actor, change.body ?? '');
  }
  if (Object.keys(changes).length === 0) return;
  issue.updatedAt = store.now();
  emitIssue(store, repo, issue, actor, 'edited', { changes });
}

/** Closes an open issue or pull request; a closed one is left as it is. */
export function closeIssue(
  store: Store,
  repo: Repo,
  issue: Issue,
  actor: Actor,
  options: { readonly reason?: Issue['stateReason']; readonly commitId?: string } = {},
): void {
  if (issue.state === 'closed') return;
  issue.state = 'closed';
  issue.stateReason = issue.pull ? null : (options.reason ?? 'completed');
  issue.closedAt = store.now();
  issue.closedBy = actor.user;
  noteState(repo, issue);
  record(store, issue, actor, 'closed', {
    stateReason: issue.pull ? null : issue.stateReason,
    commitId: options.commitId ?? null,
  });
  emitIssue(store, repo, issue, actor, 'closed');
}

/** Reopens a closed issue or pull request. */
export function reopenIssue(store: Store, repo: Repo, issue: Issue, actor: Actor): void {
  if (issue.state === 'open') return;
  issue.state = 'open';
  issue.stateReason = issue.pull ? null : 'reopened';
  issue.closedAt = null;
  issue.closedBy = null;
  noteState(repo, issue);
  record(store, issue, actor, 'reopened', { stateReason: null });
  emitIssue(store, repo, issue, actor, 'reopened');
}
