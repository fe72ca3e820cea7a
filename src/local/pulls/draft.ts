import { record } from '../issues/timeline.ts';
import type { PullIssue } from '../present/pull.ts';
import type { Actor } from '../principal.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { emitPull } from '../webhooks/emit.ts';

/** Turns a pull request into a draft or makes it ready; only GraphQL can. No change, no event. */
export function setDraft(store: Store, repo: Repo, issue: PullIssue, actor: Actor, draft: boolean): void {
  if (issue.pull.draft === draft) return;
  issue.pull.draft = draft;
  const action = draft ? 'converted_to_draft' : 'ready_for_review';
  record(store, issue, actor, draft ? 'convert_to_draft' : 'ready_for_review');
  emitPull(store, repo, issue, actor, action);
}
