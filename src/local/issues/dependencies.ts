import { presentIssue } from '../present/issue.ts';
import { presentRepository } from '../present/repository.ts';
import type { Actor } from '../principal.ts';
import type { Issue } from '../records/issue.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { emitWebhook } from '../webhooks/emit.ts';

/** GitHub's limit, for each direction by itself. */
const MAX_EDGES = 50;

/** Lets `blocker` block `issue`. Answers what GitHub would say against it, or null once it stands. */
export function addDependency(
  store: Store,
  repo: Repo,
  actor: Actor,
  issue: Issue,
  blocker: Issue,
): string | null {
  if (blocker === issue) return 'An issue cannot be blocked by itself';
  if (issue.blockedBy.has(blocker.id)) return 'Target issue has already been taken';
  if (issue.blockedBy.size >= MAX_EDGES) return `An issue can be blocked by at most ${MAX_EDGES} issues`;
  if (blocker.blocking.size >= MAX_EDGES) return `An issue can block at most ${MAX_EDGES} issues`;
  issue.blockedBy.add(blocker.id);
  blocker.blocking.add(issue.id);
  tell(store, repo, actor, issue, blocker, 'added');
  return null;
}

/** Ends a dependency. False when there was none. */
export function removeDependency(
  store: Store,
  repo: Repo,
  actor: Actor,
  issue: Issue,
  blocker: Issue,
): boolean {
  if (!issue.blockedBy.delete(blocker.id)) return false;
  blocker.blocking.delete(issue.id);
  tell(store, repo, actor, issue, blocker, 'removed');
  return true;
}

/** GitHub raises both directions. The payload needs an organization, so personal repositories raise none. */
function tell(
  store: Store,
  repo: Repo,
  actor: Actor,
  blocked: Issue,
  blocking: Issue,
  change: 'added' | 'removed',
): void {
  blocked.updatedAt = store.now();
  if (repo.owner.type !== 'Organization') return;
  const edge = {
    blocked_issue_id: blocked.id,
    blocked_issue: presentIssue(store.urls, repo, blocked),
    blocking_issue_id: blocking.id,
    blocking_issue: presentIssue(store.urls, repo, blocking),
  };
  const shown = presentRepository(store.urls, repo);
  const raise = (action: string, body: Record<string, unknown>) =>
    emitWebhook(store, { event: 'issue_dependencies', action, repo, actor, body });
  raise(`blocked_by_${change}`, { ...edge, blocking_issue_repo: shown });
  raise(`blocking_${change}`, { ...edge, blocked_issue_repo: shown });
}
