import { presentIssue } from '../present/issue.ts';
import { presentRepository } from '../present/repository.ts';
import type { Actor } from '../principal.ts';
import type { Issue } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { emitWebhook } from '../webhooks/emit.ts';
import { issueById } from './issue-index.ts';

const MAX_SUB_ISSUES = 100;
const MAX_DEPTH = 8;

const parentOf = (repo: Repo, issue: Issue): Issue | undefined =>
  issue.parentId === null ? undefined : issueById(repo, issue.parentId);

/** An issue and everything above it, nearest first. */
function* lineage(repo: Repo, issue: Issue): Generator<Issue> {
  for (let at: Issue | undefined = issue; at; at = parentOf(repo, at)) yield at;
}

function height(repo: Repo, issue: Issue): number {
  return 1 + Math.max(0, ...issue.subIssues.map((id) => height(repo, issueById(repo, id)!)));
}

/** Why GitHub would not put `child` under `parent`, or null. Closed sub-issues count. */
function objection(repo: Repo, parent: Issue, child: Issue, replace: boolean): string | null {
  if (parent.pull || child.pull) return 'Pull requests cannot be sub-issues';
  if (parent.subIssues.includes(child.id)) return 'Issue may not contain duplicate sub-issues';
  if ([...lineage(repo, parent)].includes(child)) return 'Sub-issue may not create a circular dependency';
  if (child.parentId !== null && !replace) return 'Sub-issue may only have one parent';
  if (parent.subIssues.length >= MAX_SUB_ISSUES)
    return `Parent cannot have more than ${MAX_SUB_ISSUES} sub-issues`;
  const depth = [...lineage(repo, parent)].length + height(repo, child);
  return depth > MAX_DEPTH ? `Sub-issues cannot be nested more than ${MAX_DEPTH} layers deep` : null;
}

/** Puts an issue under another. Answers GitHub's objection, or null once it stands. */
export function addSubIssue(
  store: Store,
  repo: Repo,
  actor: Actor,
  parent: Issue,
  child: Issue,
  replace: boolean,
): string | null {
  const refused = objection(repo, parent, child, replace);
  if (refused !== null) return refused;
  const former = parentOf(repo, child);
  if (former) removeSubIssue(store, repo, actor, former, child);
  parent.subIssues.push(child.id);
  child.parentId = parent.id;
  tell(store, repo, actor, parent, child, 'added');
  return null;
}

/** Takes an issue from under another. False when it was not there. */
export function removeSubIssue(store: Store, repo: Repo, actor: Actor, parent: Issue, child: Issue): boolean {
  const at = parent.subIssues.indexOf(child.id);
  if (at < 0) return false;
  parent.subIssues.splice(at, 1);
  child.parentId = null;
  tell(store, repo, actor, parent, child, 'removed');
  return true;
}

/** Moves a sub-issue before or after one of its siblings. False when one of the two is no sub-issue here. */
export function moveSubIssue(
  parent: Issue,
  id: number,
  place: { readonly afterId?: number | undefined; readonly beforeId?: number | undefined },
): boolean {
  const { subIssues } = parent;
  const sibling = place.afterId ?? place.beforeId;
  if (sibling === undefined || sibling === id) return false;
  if (!subIssues.includes(id) || !subIssues.includes(sibling)) return false;
  subIssues.splice(subIssues.indexOf(id), 1);
  subIssues.splice(subIssues.indexOf(sibling) + (place.afterId === undefined ? 0 : 1), 0, id);
  return true;
}

/** Both sides are told, each as the repository's own event. */
function tell(
  store: Store,
  repo: Repo,
  actor: Actor,
  parent: Issue,
  child: Issue,
  change: 'added' | 'removed',
): void {
  parent.updatedAt = store.now();
  child.updatedAt = store.now();
  const shown = presentRepository(store.urls, repo);
  const pair = {
    sub_issue_id: child.id,
    sub_issue: presentIssue(store.urls, repo, child),
    parent_issue_id: parent.id,
    parent_issue: presentIssue(store.urls, repo, parent),
  };
  const raise = (action: string, body: Record<string, unknown>) =>
    emitWebhook(store, { event: 'sub_issues', action, repo, actor, body });
  raise(`sub_issue_${change}`, { ...pair, sub_issue_repo: shown });
  raise(`parent_issue_${change}`, { ...pair, parent_issue_repo: shown });
}
