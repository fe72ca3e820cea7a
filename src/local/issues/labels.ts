import { nodeId } from '../node-id.ts';
import type { Actor } from '../principal.ts';
import type { Issue, Label } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { emitIssue } from '../webhooks/emit.ts';
import { record } from './timeline.ts';

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The label of a name (case does not count), or undefined. */
export const findLabel = (repo: Repo, name: string): Label | undefined =>
  repo.labels.find((label) => same(label.name, name));

/** The label of a name; made with GitHub's default colour when it is new, as adding it to an issue does. */
export function labelByName(store: Store, repo: Repo, name: string): Label {
  return findLabel(repo, name) ?? createLabel(store, repo, { name });
}

export function createLabel(
  store: Store,
  repo: Repo,
  input: {
    readonly name: string;
    readonly color?: string | undefined;
    readonly description?: string | null | undefined;
  },
): Label {
  const id = store.nextId('label');
  const label: Label = {
    id,
    nodeId: nodeId('LA', id),
    name: input.name,
    color: input.color ?? 'ededed',
    description: input.description ?? null,
  };
  repo.labels.push(label);
  return label;
}

/** Adds labels; those it has already change nothing and leave no event. */
export function addLabels(
  store: Store,
  repo: Repo,
  issue: Issue,
  actor: Actor,
  names: readonly string[],
): void {
  for (const name of names) {
    const label = labelByName(store, repo, name);
    if (issue.labels.includes(label)) continue;
    issue.labels.push(label);
    tell(store, repo, issue, actor, label, true);
  }
}

/** Removes labels by name; those it does not have change nothing. */
export function removeLabels(
  store: Store,
  repo: Repo,
  issue: Issue,
  actor: Actor,
  names: readonly string[],
): void {
  for (const name of names) {
    const label = issue.labels.find((one) => same(one.name, name));
    if (!label) continue;
    issue.labels = issue.labels.filter((one) => one !== label);
    tell(store, repo, issue, actor, label, false);
  }
}

/** Makes the labels exactly these. */
export function setLabels(
  store: Store,
  repo: Repo,
  issue: Issue,
  actor: Actor,
  names: readonly string[],
): void {
  const surplus = issue.labels.filter((label) => !names.some((name) => same(name, label.name)));
  removeLabels(
    store,
    repo,
    issue,
    actor,
    surplus.map((label) => label.name),
  );
  addLabels(store, repo, issue, actor, names);
}

function tell(store: Store, repo: Repo, issue: Issue, actor: Actor, label: Label, added: boolean): void {
  const action = added ? 'labeled' : 'unlabeled';
  record(store, issue, actor, action, { label: { name: label.name, color: label.color } });
  store.events.emit('label', { repo, issue, label, added, actor });
  emitIssue(store, repo, issue, actor, action, { label });
}
