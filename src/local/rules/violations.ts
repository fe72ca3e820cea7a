import { z } from 'zod';
import type { Principal } from '../principal.ts';
import type { Repo } from '../records/repository.ts';
import type { Rule } from '../records/ruleset.ts';
import { bypasses, covers } from './applies.ts';
import { checkState } from './check-state.ts';

/** One intended move of a ref, with what git says about it. */
export interface Move {
  readonly ref: string;
  readonly kind: 'create' | 'update' | 'delete';
  readonly newOid: string;
  /** Asked only by rules that need it. */
  readonly isFastForward: () => Promise<boolean>;
  readonly hasMergeCommits: () => Promise<boolean>;
  /** Set when it is a pull request that GitHub itself merges. */
  readonly merge?: PullMerge;
}

/** What rules ask of a pull request that is merged by the button. */
export interface PullMerge {
  /** Checks count on the head, not on the merge that is being made. */
  readonly headOid: string;
  /** The head contains the base's tip. */
  readonly upToDate: boolean;
  readonly approvals: number;
}

/** Every rule that the move breaks, in GitHub's words. Empty: it may go on. */
export async function violations(
  repo: Repo,
  principal: Principal,
  move: Move,
  defaultRef: string,
): Promise<string[]> {
  const found: string[] = [];
  for (const ruleset of repo.rulesets.values()) {
    if (
      !covers(ruleset, move.ref, defaultRef) ||
      bypasses(ruleset, principal, repo, move.merge !== undefined)
    )
      continue;
    for (const rule of ruleset.rules) found.push(...(await broken(repo, rule, move)));
  }
  return [...new Set(found)];
}

async function broken(repo: Repo, rule: Rule, move: Move): Promise<string[]> {
  switch (rule.type) {
    case 'creation':
      return move.kind === 'create' ? ['Cannot create ref due to creations being restricted.'] : [];
    case 'update':
      return move.kind === 'update' ? ['Cannot update this protected ref.'] : [];
    case 'deletion':
      return move.kind === 'delete' ? ['Cannot delete this protected ref.'] : [];
    case 'non_fast_forward':
      return move.kind === 'update' && !(await move.isFastForward())
        ? ['Cannot force-push to this branch']
        : [];
    case 'required_linear_history':
      return move.kind !== 'delete' && (await move.hasMergeCommits())
        ? ['This branch must not contain merge commits.']
        : [];
    case 'pull_request':
      return move.kind === 'update' ? missingReview(rule, move) : [];
    case 'required_status_checks':
      return move.kind === 'delete' ? [] : missingChecks(repo, rule, move);
    default:
      return [];
  }
}

/** Those that the description asks for. The number of approvals is enforced, the rest is kept. */
export const ReviewParameters = z.looseObject({
  required_approving_review_count: z.number().int().min(0).max(10),
  dismiss_stale_reviews_on_push: z.boolean(),
  require_code_owner_review: z.boolean(),
  require_last_push_approval: z.boolean(),
  required_review_thread_resolution: z.boolean(),
});

function missingReview(rule: Rule, move: Move): string[] {
  if (!move.merge) return ['Changes must be made through a pull request.'];
  const wanted = rule.parameters
    ? ReviewParameters.parse(rule.parameters).required_approving_review_count
    : 0;
  if (move.merge.approvals >= wanted) return [];
  return [
    `At least ${wanted} approving review${wanted === 1 ? ' is' : 's are'} required by reviewers with write access.`,
  ];
}

export const StatusChecksParameters = z.object({
  required_status_checks: z.array(z.object({ context: z.string(), integration_id: z.number().nullish() })),
  strict_required_status_checks_policy: z.boolean().default(false),
  do_not_enforce_on_create: z.boolean().default(false),
});

/** Checks count on exactly the pushed commit, or on the head of the pull request that is merged. */
function missingChecks(repo: Repo, rule: Rule, move: Move): string[] {
  const parameters = StatusChecksParameters.parse(rule.parameters);
  if (move.kind === 'create' && parameters.do_not_enforce_on_create) return [];
  const sha = move.merge?.headOid ?? move.newOid;
  const stale = parameters.strict_required_status_checks_policy && move.merge?.upToDate === false;
  const missing = parameters.required_status_checks.flatMap(({ context, integration_id }) => {
    const state = checkState(repo, sha, context, integration_id ?? null);
    if (state === 'success') return [];
    return [`Required status check "${context}" is ${state === 'missing' ? 'expected' : state}.`];
  });
  return stale ? [...missing, 'Head branch is not up to date with the base branch.'] : missing;
}
