import type { Oid } from '../domain/ids.ts';
import type { ObservedIssue, ObservedPull } from '../domain/snapshot.ts';
import type { BuildState, Member, TaskState } from '../domain/state.ts';
import type { ChecksWord } from './required-checks.ts';

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
}

declare const proven: unique symbol;

/** Proof that a build may land: only `proveLanding` makes one, and moving trunk takes nothing else. */
export interface LandingProof {
  readonly [proven]: true;
  readonly build: BuildState;
  readonly base: Oid;
  readonly commit: Oid;
}

export type LandingDecision =
  | { readonly kind: 'proven'; readonly proof: LandingProof }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly of: number | null;
      readonly next: 'rebuild' | 'hold' | 'wait';
    };

/** Decides from fresh reads whether exactly this commit becomes trunk. */
export function proveLanding(fresh: FreshRead): LandingDecision {
  const { build } = fresh;
  const no = (
    reason: string,
    next: 'rebuild' | 'hold' | 'wait',
    of: number | null = null,
  ): LandingDecision => ({
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
    const why = memberHindrance(member, fresh.trunkBranch);
    if (why !== null) return no(why, 'hold', member.member.number);
  }
  const proof = { build, base: build.base, commit: build.commit } as LandingProof;
  return { kind: 'proven', proof };
}

function memberHindrance({ member, pull, issue, task }: FreshMember, trunk: string): string | null {
  if (pull === null || !pull.open) return 'pull-closed';
  if (pull.head !== member.candidate) return 'head-moved';
  if (pull.base !== trunk) return 'pull-retargeted';
  if (pull.draft) return 'pull-is-draft';
  if (member.kind === 'pull') return null;
  if (issue === null || !issue.open) return 'issue-closed';
  if (task === null || issue.bodyDigest !== task.bodyDigest) return 'spec-edited';
  return task.candidate?.oid === member.candidate && task.verdict?.verdict === 'pass'
    ? null
    : 'candidate-not-proven';
}
