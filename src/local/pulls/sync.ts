import { ZERO_OID } from '../git/oid.ts';
import { branchOf } from '../git/ref-name.ts';
import { closeIssue } from '../issues/edit.ts';
import { closingNumbers } from '../issues/references.ts';
import { record } from '../issues/timeline.ts';
import { asPull, type PullIssue } from '../present/pull.ts';
import type { Actor } from '../principal.ts';
import type { Repo } from '../records/repository.ts';
import type { AppliedMove } from '../refs/after-move.ts';
import type { Store } from '../store.ts';
import { emitPull } from '../webhooks/emit.ts';

/** Lets open pull requests follow branches that moved: new heads and bases, merges that were pushed, branches that went. */
export async function syncPulls(
  store: Store,
  repo: Repo,
  actor: Actor,
  moves: readonly AppliedMove[],
): Promise<void> {
  const byBranch = new Map(moves.map((move) => [branchOf(move.ref), move]));
  const open = [...repo.issues.values()].flatMap((issue) => {
    const pull = asPull(issue);
    return pull && issue.state === 'open' ? [pull] : [];
  });
  const landed = byBranch.get(repo.defaultBranch);
  if (landed) await markMerged(store, repo, actor, landed, open);
  for (const issue of open) {
    if (issue.state === 'closed') continue;
    const base = byBranch.get(issue.pull.baseRef);
    if (base?.after === ZERO_OID) closeIssue(store, repo, issue, actor);
    else if (base) issue.pull.baseSha = base.after;
    const head = byBranch.get(issue.pull.headRef);
    if (head) await followHead(store, repo, actor, issue, head);
  }
}

async function followHead(
  store: Store,
  repo: Repo,
  actor: Actor,
  issue: PullIssue,
  move: AppliedMove,
): Promise<void> {
  if (issue.state === 'closed') return;
  if (move.after === ZERO_OID) {
    record(store, issue, actor, 'head_ref_deleted');
    closeIssue(store, repo, issue, actor);
    return;
  }
  issue.pull.headSha = move.after;
  issue.updatedAt = store.now();
  await pointPullRef(repo, issue);
  if (move.forced) record(store, issue, actor, 'head_ref_force_pushed', { commitId: move.after });
  emitPull(store, repo, issue, actor, 'synchronize', { before: move.before, after: move.after });
}

/** Keeps `refs/pull/<n>/head` at the head. Only the server writes there. */
export async function pointPullRef(repo: Repo, issue: PullIssue): Promise<void> {
  await repo.git.run(['update-ref', `refs/pull/${issue.number}/head`, issue.pull.headSha]);
}

/**
 * A pull request against the default branch is merged once its head can be reached from there, however that came about
 * (GitHub documentation, "About pull request merges", indirect merges).
 */
async function markMerged(
  store: Store,
  repo: Repo,
  actor: Actor,
  landed: AppliedMove,
  open: readonly PullIssue[],
): Promise<void> {
  const candidates = open.filter((issue) => issue.pull.baseRef === repo.defaultBranch);
  if (candidates.length === 0 || landed.after === ZERO_OID) return;
  const arrived = await revList(repo, [`${landed.before}..${landed.after}`]);
  const members = candidates.filter((issue) => arrived.has(issue.pull.headSha));
  if (members.length === 0) return;
  const trunk = await revList(repo, ['--first-parent', '--reverse', `${landed.before}..${landed.after}`]);
  for (const issue of members) {
    const mergeCommit = await firstContaining(repo, issue.pull.headSha, trunk, landed.after);
    merge(store, repo, actor, issue, landed.after, mergeCommit);
  }
}

function merge(
  store: Store,
  repo: Repo,
  actor: Actor,
  issue: PullIssue,
  base: string,
  mergeCommit: string,
): void {
  const { pull } = issue;
  pull.merged = true;
  pull.mergedAt = store.now();
  pull.mergedBy = actor.user;
  pull.mergeCommitSha = mergeCommit;
  pull.baseSha = base;
  record(store, issue, actor, 'merged', { commitId: mergeCommit });
  closeIssue(store, repo, issue, actor, { commitId: mergeCommit });
  for (const number of closingNumbers(repo, issue.body ?? '')) {
    const target = repo.issues.get(number);
    if (target && !target.pull) closeIssue(store, repo, target, actor, { commitId: mergeCommit });
  }
}

/** The oldest commit on trunk that contains the head. */
async function firstContaining(
  repo: Repo,
  head: string,
  trunk: ReadonlySet<string>,
  fallback: string,
): Promise<string> {
  if (trunk.has(head)) return head;
  const descendants = await revList(repo, ['--ancestry-path', `${head}..${fallback}`]);
  return [...trunk].find((oid) => descendants.has(oid)) ?? fallback;
}

async function revList(repo: Repo, args: readonly string[]): Promise<Set<string>> {
  const run = await repo.git.run(['rev-list', ...args]);
  return new Set(
    run.stdout
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== ''),
  );
}
