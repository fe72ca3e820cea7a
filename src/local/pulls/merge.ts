import { isAncestor } from '../git/ancestry.ts';
import type { PullIssue } from '../present/pull.ts';
import { actorOf, type Principal } from '../principal.ts';
import type { Repo } from '../records/repository.ts';
import { commitFor, mergedTree } from '../refs/merge-commits.ts';
import { moveRefs, type RefOutcome } from '../refs/move-refs.ts';
import type { Store } from '../store.ts';
import { approvalsOf } from './approvals.ts';
import { markPullMerged } from './mark-merged.ts';

export interface MergeWish {
  /** Rebasing is not done here. */
  readonly method: 'merge' | 'squash';
  readonly title: string | undefined;
  readonly message: string | undefined;
}

export type PullMerge =
  | { readonly kind: 'merged'; readonly oid: string }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'refused'; readonly outcome: Extract<RefOutcome, { kind: 'refused' }> };

/**
 * Merges an open pull request into its base as the button does: rules judge its head and its reviews, and the base moves
 * only from where it was looked at. The caller has checked state, draft and expected head.
 */
export async function mergePull(
  store: Store,
  repo: Repo,
  principal: Principal,
  issue: PullIssue,
  wish: MergeWish,
): Promise<PullMerge> {
  const { pull } = issue;
  const { git } = repo;
  const actor = actorOf(principal)!;
  const { headSha, baseSha } = pull;
  const tree = await mergedTree(git, baseSha, headSha);
  if (tree === null) return { kind: 'conflict' };
  const parents = wish.method === 'squash' ? [baseSha] : [baseSha, headSha];
  const message = messageOf(repo, issue, wish);
  const oid = commitFor(git, actor.user, store.now(), { tree, parents, message });
  const merge = {
    headOid: headSha,
    upToDate: await isAncestor(git, baseSha, headSha),
    approvals: approvalsOf(repo, issue),
  };
  const update = { ref: `refs/heads/${pull.baseRef}`, oldOid: baseSha, newOid: oid };
  const [outcome] = await moveRefs(store, repo, principal, [update], { atomic: true, merge });
  if (outcome!.kind === 'refused') return { kind: 'refused', outcome: outcome! };
  // A squash leaves the head unreachable: what moved the base does not tell that it was merged.
  markPullMerged(store, repo, actor, issue, oid, oid);
  return { kind: 'merged', oid };
}

function messageOf(repo: Repo, issue: PullIssue, wish: MergeWish): string {
  const numbered = `${issue.title} (#${issue.number})`;
  const merge = `Merge pull request #${issue.number} from ${repo.owner.login}/${issue.pull.headRef}`;
  const title = wish.title ?? (wish.method === 'squash' ? numbered : merge);
  const body = wish.message ?? (wish.method === 'squash' ? '' : issue.title);
  return body === '' ? title : `${title}\n\n${body}`;
}
