import type { Oid } from '../domain/ids.ts';
import type { ObservedIssue, ObservedPull } from '../domain/snapshot.ts';
import type { BuildState, Member, TaskState } from '../domain/state.ts';
import type { ChecksWord } from './required-checks.ts';
import { reviewWord } from './review-word.ts';

/** Everything that is read once more, right before trunk moves. */
export interface FreshRead {
  readonly build: BuildState;
  readonly trunk: Oid;
  readonly trunkBranch: string;
  readonly queueRef: Oid | null;
  /** The build's commit made again from its members: must be the very commit. */
  readonly recomposed: Oid | null;
  readonly surplus: readonly string[];
  readonly silentReverts: readonly string[];
  readonly checks: ChecksWord;
  readonly landingCheckAgrees: boolean;
  readonly members: readonly FreshMember[];
}

export interface FreshMember {
  readonly member: Member;
  readonly pull: ObservedPull | null;
  readonly issue: ObservedIssue | null;
  readonly task: TaskState | null;
  /** True when the spec's profile asks for a person's approval. */
  readonly needsReview: boolean;
}

declare const proven: unique symbol;

/** Proof that a build may land: only `proveLanding` makes one, and moving trunk takes nothing else. */
export interface LandingProof {
  readonly [proven]: true;
  readonly build: BuildState;
  readonly base: Oid;
  readonly commit: Oid;
}

/** What becomes of a build that may not land: made again, its members held or reviewed again, or looked at again. */
export type AfterRefusal = 'rebuild' | 'hold' | 'review' | 'wait';

export type LandingDecision =
  | { readonly kind: 'proven'; readonly proof: LandingProof }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly of: number | null;
      readonly next: AfterRefusal;
    };

/** Decides from fresh reads whether exactly this commit becomes trunk. */
export function proveLanding(fresh: FreshRead): LandingDecision {
  const { build } = fresh;
  const no = (reason: string, next: AfterRefusal, of: number | null = null): LandingDecision => ({
    kind: 'refused',
    reason,
    of,
    next,
  });
  if (fresh.trunk !== build.base) return no('trunk-moved', 'rebuild');
  if (build.commit === null || fresh.queueRef !== build.commit) return no('queue-ref-differs', 'rebuild');
  if (fresh.recomposed !== build.commit) return no('build-not-reproduced', 'hold');
  if (fresh.surplus.length > 0) return no('surplus-change', 'hold');
  if (fresh.silentReverts.length > 0) return no('silent-revert', 'hold');
  if (build.verdict?.verdict !== 'pass' || !fresh.landingCheckAgrees) return no('no-verdict', 'wait');
  if (fresh.checks.kind !== 'success') return no('checks-not-green', 'wait');
  for (const member of fresh.members) {
    const hindrance = memberHindrance(member, fresh.trunkBranch);
    if (hindrance !== null) return no(hindrance.why, hindrance.next, member.member.number);
  }
  const proof = { build, base: build.base, commit: build.commit } as LandingProof;
  return { kind: 'proven', proof };
}

interface Hindrance {
  readonly why: string;
  readonly next: AfterRefusal;
}

const hold = (why: string): Hindrance => ({ why, next: 'hold' });
const wait = (why: string): Hindrance => ({ why, next: 'wait' });

/** What cannot be read may be there: only what was seen holds anybody. */
function memberHindrance(fresh: FreshMember, trunk: string): Hindrance | null {
  const { member, pull } = fresh;
  if (pull === null) return wait('pull-unread');
  if (!pull.open) return hold('pull-closed');
  if (pull.head !== member.candidate) return hold('head-moved');
  if (pull.base !== trunk) return hold('pull-retargeted');
  if (pull.draft) return hold('pull-is-draft');
  return member.kind === 'pull' ? null : taskHindrance(fresh, pull);
}

function taskHindrance(
  { member, issue, task, needsReview }: FreshMember,
  pull: ObservedPull,
): Hindrance | null {
  if (issue === null) return wait('issue-unread');
  if (!issue.open) return hold('issue-closed');
  if (task === null || issue.bodyDigest !== task.bodyDigest) return hold('spec-edited');
  if (task.candidate?.oid !== member.candidate || task.verdict?.verdict !== 'pass')
    return hold('candidate-not-proven');
  if (needsReview && reviewWord(pull.reviews, member.candidate) !== 'approved')
    return { why: 'approval-withdrawn', next: 'review' };
  return null;
}
