import type { Oid } from '../domain/ids.ts';
import type { BuildState } from '../domain/state.ts';
import type { Policy } from '../policy/policy.ts';
import type { ChecksWord } from './required-checks.ts';

/** What the landing check on the build shows, as read from GitHub. */
export type LandingCheckWord = 'absent' | 'agrees' | 'differs';

export interface BuildView {
  readonly build: BuildState;
  readonly trunk: Oid;
  /** True when every member still stands in the queue with the candidate that the build holds. */
  readonly membersStand: boolean;
  /** True when the record of this number and try has been pushed by an earlier pass. */
  readonly recorded: boolean;
  readonly checks: ChecksWord;
  readonly landingCheck: LandingCheckWord;
  readonly now: number;
}

export type BuildStep =
  | { readonly kind: 'dissolve'; readonly why: 'trunk-moved' | 'member-left' }
  | { readonly kind: 'compose' }
  | { readonly kind: 'judge' }
  | { readonly kind: 'retry-facts' }
  | { readonly kind: 'show-verdict' }
  | { readonly kind: 'land' }
  | { readonly kind: 'retry'; readonly why: string }
  | { readonly kind: 'hand-back'; readonly why: string; readonly blame: 'candidate' | 'nobody' }
  | { readonly kind: 'wait'; readonly until: number | null };

/**
 * The next step of the one build in flight. A green build on the trunk of now lands before anything else is done; a moved
 * trunk blames nobody; nothing waits without a deadline.
 */
export function decideBuildStep(view: BuildView, policy: Policy): BuildStep {
  const { build } = view;
  if (build.base !== view.trunk) return { kind: 'dissolve', why: 'trunk-moved' };
  if (!view.membersStand) return { kind: 'dissolve', why: 'member-left' };
  if (build.commit === null || build.pushedAt === null) {
    return view.recorded ? { kind: 'compose' } : { kind: 'wait', until: null };
  }
  const { checks } = view;
  if (checks.kind === 'failed') return { kind: 'hand-back', why: 'check-failed', blame: 'candidate' };
  if (build.verdict === null) return { kind: 'judge' };
  if (build.verdict.verdict === 'fail')
    return { kind: 'hand-back', why: 'build-refused', blame: 'candidate' };
  if (build.verdict.verdict === 'could-not-judge') return unjudged(build, policy);
  if (checks.kind === 'interrupted') return again(build, policy, 'check-interrupted');
  if (checks.kind === 'waiting') return waitForChecks(view, policy, checks.started);
  return view.landingCheck === 'agrees' ? { kind: 'land' } : { kind: 'show-verdict' };
}

function unjudged(build: BuildState, policy: Policy): BuildStep {
  const tries = build.verdict?.try ?? 1;
  if (build.facts !== null && tries < policy.guard.tries) return { kind: 'retry-facts' };
  return { kind: 'hand-back', why: 'could-not-judge', blame: 'nobody' };
}

function waitForChecks(view: BuildView, policy: Policy, started: boolean): BuildStep {
  const minutes = started ? policy.landing.check_end_minutes : policy.landing.check_start_minutes;
  const deadline = Date.parse(view.build.pushedAt!) + minutes * 60_000;
  if (view.now < deadline) return { kind: 'wait', until: deadline };
  return again(view.build, policy, started ? 'checks-late' : 'no-gate-started');
}

function again(build: BuildState, policy: Policy, why: string): BuildStep {
  return build.try < policy.landing.tries
    ? { kind: 'retry', why }
    : { kind: 'hand-back', why, blame: 'nobody' };
}
