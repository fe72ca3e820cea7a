import type { AttemptId } from '../../domain/attempt.ts';
import { parseAttemptId } from '../../domain/attempt.ts';
import type { RefMove } from '../../domain/command.ts';
import { type Oid, zeroOid } from '../../domain/ids.ts';
import type { CandidateState, Found } from '../../domain/state.ts';
import type { Finding } from '../../domain/verdict.ts';
import { attemptRef, refusedRef, taskRef } from '../../git/refs.ts';
import { commitTree } from '../../git/write-objects.ts';
import { applyWaivers } from '../../guard/waivers.ts';
import { renderCandidateMessage } from '../../text/candidate-message.ts';
import { type ComputeInput, specOf, taskOf } from './compute-input.ts';
import { findSecrets } from './find-secrets.ts';
import { waiversOf } from './waivers.ts';

/** Who the app's commits are by. The author proves nothing; the ruleset on the branch does. */
export const appPerson = { name: 'ccd', email: 'ccd@users.noreply.github.com' } as const;

export interface TreeOffer {
  readonly issue: number;
  readonly attempt: AttemptId;
  readonly sequence: number;
  readonly base: Oid;
  readonly baseTree: Oid;
  readonly tree: Oid;
  /** Seconds since the epoch, from recorded state, so that the same offer gives the same commit. */
  readonly date: number;
}

export type Offered =
  | { readonly kind: 'candidate'; readonly candidate: CandidateState; readonly moves: readonly RefMove[] }
  | {
      readonly kind: 'refused';
      readonly commit: Oid;
      readonly findings: readonly Found[];
      readonly moves: readonly RefMove[];
    }
  | { readonly kind: 'unjudged'; readonly reason: string };

/**
 * Writes the one commit of an attempt's tree on its contract's base and says which refs show it. A tree that fails R0 or R1, or
 * holds a secret, may reach no branch, because a branch starts other people's pipelines: it is kept aside.
 */
export async function offerTree(input: ComputeInput, offer: TreeOffer): Promise<Offered> {
  const { context } = input;
  const commit = await commitTree(context.clone.dir, {
    tree: offer.tree,
    parents: [offer.base],
    message: renderCandidateMessage({ issue: offer.issue, attempt: offer.attempt, base: offer.base }),
    date: offer.date,
    person: appPerson,
  });
  const judged = await context.judge({
    repoDir: context.clone.dir,
    judged: 'candidate',
    base: offer.base,
    head: commit,
    spec: specOf(input, offer.issue),
    policy: input.policy,
  });
  if (judged.statics.kind === 'could-not-judge') return { kind: 'unjudged', reason: 'could-not-read' };
  const secrets = await findSecrets(context.clone, offer.base, commit);
  const all = [...judged.statics.findings, ...secrets];
  const { standing } = applyWaivers(all, waiversOf(input, offer.issue));
  const found = foundOf(standing);
  if (standing.some((finding) => finding.rule === 'R0' || finding.rule === 'R1')) {
    return { kind: 'refused', commit, findings: found, moves: refusedMoves(input, offer, commit) };
  }
  return {
    kind: 'candidate',
    candidate: {
      oid: commit,
      tree: offer.tree,
      base: offer.base,
      baseTree: offer.baseTree,
      attempt: offer.attempt,
      sequence: offer.sequence,
      staticFindings: found,
    },
    moves: candidateMoves(input, offer, commit),
  };
}

/** As many as the state's schema takes: a change of thousands of files must not make the state unreadable. The check tells their number. */
const keptFindings = 2000;

/** Findings as the state keeps them. */
export function foundOf(findings: readonly Finding[]): Found[] {
  return findings
    .slice(0, keptFindings)
    .map(({ rule, class: kind, fingerprint }) => ({ rule, class: kind, fingerprint }));
}

function candidateMoves(input: ComputeInput, offer: TreeOffer, commit: Oid): RefMove[] {
  return [taskRef(offer.issue), attemptRef(offer.attempt)].flatMap((ref) => moveTo(input, ref, commit));
}

function refusedMoves(input: ComputeInput, offer: TreeOffer, commit: Oid): RefMove[] {
  const generation = parseAttemptId(offer.attempt)?.generation ?? 1;
  return moveTo(
    input,
    refusedRef(offer.issue, generation, taskOf(input, offer.issue).refusedTrees + 1),
    commit,
  );
}

function moveTo(input: ComputeInput, ref: string, next: Oid): RefMove[] {
  const expected = input.snapshot.refs.get(ref) ?? zeroOid;
  return expected === next ? [] : [{ ref, expected, next }];
}
