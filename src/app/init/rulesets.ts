import { CcdError } from '../../domain/errors.ts';
import { createRuleset, updateRuleset } from '../../github/apply/put-ruleset.ts';
import type { WriteOutcome } from '../../github/apply/write-outcome.ts';
import type { GitHubClient } from '../../github/client.ts';
import { observeRulesets } from '../../github/observe/rulesets.ts';
import type { RepoName } from '../../github/repo-name.ts';
import type { Ruleset } from '../../github/schema/ruleset.ts';
import type { Policy } from '../../policy/policy.ts';
import { landingCheckName } from '../observe/observe-projections.ts';

/**
 * The walls behind our own gate. Ownership: the app alone makes, moves and deletes its refs and trunk. Proof: trunk takes only
 * commits with `ccd / landing` and the policy's checks, pinned to their apps, and nobody may pass by, the app least of all.
 */
export function rulesetsOf(appId: number, policy: Policy): Ruleset[] {
  const bypass = [{ actor_id: appId, actor_type: 'Integration', bypass_mode: 'always' }];
  const owned = [{ type: 'creation' as const }, { type: 'update' as const }, { type: 'deletion' as const }];
  const refs = (include: string[]) => ({ ref_name: { include, exclude: [] } });
  const checks = [
    { context: landingCheckName, integration_id: appId },
    ...policy.required_checks.map((check) => ({ context: check.name, integration_id: check.app_id })),
  ];
  return [
    {
      name: 'ccd ownership: branches',
      target: 'branch',
      enforcement: 'active',
      bypass_actors: bypass,
      conditions: refs(['refs/heads/ccd', 'refs/heads/ccd/*', 'refs/heads/ccd/**/*', '~DEFAULT_BRANCH']),
      rules: owned,
    },
    {
      name: 'ccd ownership: tags',
      target: 'tag',
      enforcement: 'active',
      bypass_actors: bypass,
      conditions: refs(['refs/tags/ccd', 'refs/tags/ccd/*', 'refs/tags/ccd/**/*']),
      rules: owned,
    },
    {
      name: 'ccd proof',
      target: 'branch',
      enforcement: 'active',
      bypass_actors: [],
      conditions: refs(['~DEFAULT_BRANCH']),
      rules: [
        {
          type: 'required_status_checks',
          parameters: {
            strict_required_status_checks_policy: false,
            do_not_enforce_on_create: true,
            required_status_checks: checks,
          },
        },
      ],
    },
  ];
}

export type RulesetsResult =
  | { readonly kind: 'protected' }
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Puts the rulesets in place with a person's own token, which may administer. Repeats safely. */
export async function putRulesets(
  client: GitHubClient,
  repo: RepoName,
  rulesets: readonly Ruleset[],
): Promise<RulesetsResult> {
  const standing = await observeRulesets(client, repo);
  if (standing.kind === 'unavailable') return standing;
  for (const ruleset of rulesets) {
    const old = standing.rulesets.find((entry) => entry.name === ruleset.name);
    const outcome: WriteOutcome =
      old === undefined
        ? await createRuleset(client, repo, ruleset)
        : await updateRuleset(client, repo, { ...ruleset, id: old.id });
    if (outcome.kind === 'refused') return { kind: 'unavailable', reason: outcome.message };
    if (outcome.kind === 'unclear' || outcome.kind === 'rate-limited') throw notPut(ruleset.name);
  }
  return { kind: 'protected' };
}

function notPut(name: string): CcdError {
  return new CcdError({
    code: 'init.ruleset',
    message: `GitHub did not answer clearly when the ruleset "${name}" was put.`,
    remedy: 'Run `ccd init` again: it goes on where it stopped.',
    audience: 'operator',
    retryable: true,
  });
}
