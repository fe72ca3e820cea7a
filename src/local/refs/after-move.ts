import type { LoggedCommit } from '../git/commit-log.ts';
import { ZERO_OID } from '../git/oid.ts';
import { branchOf, tagOf } from '../git/ref-name.ts';
import { closeIssue } from '../issues/edit.ts';
import { closingNumbers } from '../issues/references.ts';
import { type Actor, actorOf, type Principal } from '../principal.ts';
import { syncPulls } from '../pulls/sync.ts';
import type { Repo } from '../records/repository.ts';
import type { Store } from '../store.ts';
import { tellMove } from './tell-move.ts';

export interface AppliedMove {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly forced: boolean;
  /** Commits that came with it, oldest first. */
  readonly commits: readonly LoggedCommit[];
}

/** More tags at once than this raise no events on GitHub. */
const SILENT_ABOVE_TAGS = 3;

/** Everything GitHub does once refs have moved: pull requests follow, keywords close issues, events go out. */
export async function afterMove(
  store: Store,
  repo: Repo,
  principal: Principal,
  applied: readonly AppliedMove[],
): Promise<void> {
  const actor = actorOf(principal);
  const moves = applied.filter((move) => move.before !== move.after);
  if (!actor || moves.length === 0) return;
  repo.pushedAt = store.now();
  const tags = moves.filter((move) => tagOf(move.ref) !== null).length;
  for (const move of moves) {
    if (branchOf(move.ref) === null && (tagOf(move.ref) === null || tags > SILENT_ABOVE_TAGS)) continue;
    tellMove(store, repo, actor, move);
  }
  await syncPulls(store, repo, actor, moves);
  const landed = moves.find((move) => branchOf(move.ref) === repo.defaultBranch);
  if (landed && landed.after !== ZERO_OID) closeByKeyword(store, repo, actor, landed);
  store.events.emit('refs', { repo, moves, actor });
}

function closeByKeyword(store: Store, repo: Repo, actor: Actor, landed: AppliedMove): void {
  for (const commit of landed.commits)
    for (const number of closingNumbers(repo, commit.message)) {
      const issue = repo.issues.get(number);
      if (issue && !issue.pull) closeIssue(store, repo, issue, actor, { commitId: commit.oid });
    }
}
