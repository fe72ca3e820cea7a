import { isAncestor } from '../git/ancestry.ts';
import { ZERO_OID } from '../git/oid.ts';
import { branchOf } from '../git/ref-name.ts';
import { closeIssue } from '../issues/edit.ts';
import { openPulls } from '../issues/issue-index.ts';
import { record } from '../issues/timeline.ts';
import type { PullIssue } from '../present/pull.ts';
import type { Actor } from '../principal.ts';
import type { Repo } from '../records/repository.ts';
import type { AppliedMove } from '../refs/after-move.ts';
import type { Store } from '../store.ts';
import { emitPull } from '../webhooks/emit.ts';
import { markPullMerged } from './mark-merged.ts';

/** Lets open pull requests follow branches that moved: new heads and bases, merges that were pushed, branches that went. */
export async function syncPulls(
  store: Store,
  repo: Repo,
  actor: Actor,
  moves: readonly AppliedMove[],
): Promise<void> {
  const byBranch = new Map(moves.map((move) => [branchOf(move.ref), move]));
  const open = openPulls(repo);
  for (const move of moves) await markMerged(store, repo, actor, move, open);
  for (const issue of open) {
    if (issue.state === 'closed') continue;
    const base = byBranch.get(issue.pull.baseRef);
    if (base?.after === ZERO_OID) await loseBase(store, repo, actor, issue);
    else if (base) issue.pull.baseSha = base.after;
    const head = byBranch.get(issue.pull.headRef);
    if (head) await followHead(store, repo, actor, issue, head);
  }
}

/**
 * A base branch that is deleted closes its pull requests; when it was itself the head of a merged one, they move on to
 * that one's base (GitHub documentation, "Merging a pull request", note on deleted head branches).
 */
async function loseBase(store: Store, repo: Repo, actor: Actor, issue: PullIssue): Promise<void> {
  const { pull } = issue;
  const merged = [...repo.issues.values()].findLast(
    (one) => one.pull?.merged === true && one.pull.headRef === pull.baseRef,
  )?.pull;
  const sha = merged ? await repo.git.ref(`refs/heads/${merged.baseRef}`) : null;
  if (!merged || !sha) return closeIssue(store, repo, issue, actor);
  const from = { ref: { from: pull.baseRef }, sha: { from: pull.baseSha } };
  pull.baseRef = merged.baseRef;
  pull.baseSha = sha;
  emitPull(store, repo, issue, actor, 'edited', { changes: { base: from } });
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
  const ref = `refs/pull/${issue.number}/head`;
  const before = (await repo.git.ref(ref)) ?? ZERO_OID;
  await repo.git.moveRefs([{ ref, before, after: issue.pull.headSha }]);
}

/**
 * A pull request is merged once its head can be reached from the branch that it targets, however that came about
 * (GitHub documentation, "Merging a pull request", indirect merges).
 */
async function markMerged(
  store: Store,
  repo: Repo,
  actor: Actor,
  landed: AppliedMove,
  open: readonly PullIssue[],
): Promise<void> {
  const branch = branchOf(landed.ref);
  const candidates = branch === null ? [] : open.filter((issue) => issue.pull.baseRef === branch);
  if (candidates.length === 0 || landed.after === ZERO_OID || landed.before === ZERO_OID) return;
  const arrived = await arrivedWith(repo, landed);
  const members = candidates.filter((issue) => arrived.all.has(issue.pull.headSha));
  for (const issue of members) {
    const mergeCommit = await firstContaining(repo, issue.pull.headSha, arrived.trunk, landed.after);
    markPullMerged(store, repo, actor, issue, landed.after, mergeCommit);
  }
}

/** Commits that a move brought to a branch, and those of them that were its tip one after the other, oldest first. */
async function arrivedWith(
  repo: Repo,
  { before, after }: AppliedMove,
): Promise<{ readonly all: ReadonlySet<string>; readonly trunk: readonly string[] }> {
  const walked = await repo.git.history.between(after, [before]);
  if (walked === null) {
    const range = `${before}..${after}`;
    const trunk = await revList(repo, ['--first-parent', '--reverse', range]);
    return { all: await revList(repo, [range]), trunk: [...trunk] };
  }
  const byOid = new Map(walked.map((commit) => [commit.oid, commit]));
  const trunk: string[] = [];
  for (let at = byOid.get(after); at; at = byOid.get(at.parents[0] ?? '')) trunk.unshift(at.oid);
  return { all: new Set(byOid.keys()), trunk };
}

/** The oldest commit on trunk that contains the head. */
async function firstContaining(
  repo: Repo,
  head: string,
  trunk: readonly string[],
  fallback: string,
): Promise<string> {
  for (const oid of trunk) if (await isAncestor(repo.git, head, oid)) return oid;
  return fallback;
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
