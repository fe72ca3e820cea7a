import { nodeId } from '../node-id.ts';
import type { Actor } from '../principal.ts';
import type { Issue, Label, Pull } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { emitIssue } from '../webhooks/emit.ts';
import { labelByName } from './labels.ts';
import { crossReference } from './references.ts';
import { record } from './timeline.ts';

/** Opens an issue (or, with `pull`, a pull request) under the next number, and tells the world. */
export function createIssue(
  store: Store,
  repo: Repo,
  actor: Actor,
  input: {
    readonly title: string;
    readonly body: string | null;
    readonly labels?: readonly string[];
    readonly pull?: Pull;
  },
): Issue {
  const id = store.nextId('issue');
  const now = store.now();
  const issue: Issue = {
    id,
    nodeId: nodeId('I', id),
    number: repo.nextNumber++,
    user: actor.user,
    app: actor.app,
    title: input.title,
    body: input.body,
    state: 'open',
    stateReason: null,
    closedAt: null,
    closedBy: null,
    createdAt: now,
    updatedAt: now,
    lastEditedAt: null,
    editor: null,
    edits: [],
    locked: false,
    lockReason: null,
    labels: [],
    assignees: [],
    comments: [],
    timeline: [],
    blockedBy: new Set(),
    blocking: new Set(),
    subIssues: [],
    parentId: null,
    pull: input.pull ?? null,
  };
  repo.issues.set(issue.number, issue);
  const labels = (input.labels ?? []).map((name): Label => labelByName(store, repo, name));
  issue.labels = [...new Set(labels)];
  crossReference(store, repo, issue, actor, `${issue.title}\n${issue.body ?? ''}`);
  emitIssue(store, repo, issue, actor, 'opened');
  for (const label of issue.labels) {
    record(store, issue, actor, 'labeled', { label: { name: label.name, color: label.color } });
    store.events.emit('label', { repo, issue, label, added: true, actor });
    emitIssue(store, repo, issue, actor, 'labeled', { label });
  }
  return issue;
}
