import type { RefMove } from '../../domain/command.ts';
import { zeroOid } from '../../domain/ids.ts';
import type { ComputationOutcome } from '../../domain/outcome.ts';
import type { BuildState, Member } from '../../domain/state.ts';
import { branchRef, queueRef } from '../../git/refs.ts';
import { observeChecks } from '../../github/observe/checks.ts';
import { observeIssues } from '../../github/observe/issues.ts';
import { observePull } from '../../github/observe/pulls.ts';
import { type FreshMember, type LandingProof, proveLanding } from '../../landing/prove-landing.ts';
import { readRequiredChecks } from '../../landing/required-checks.ts';
import { mustBeApproved } from '../../landing/review-word.ts';
import { queueBranch } from '../../supervisor/building.ts';
import { dispatchLabel } from '../../text/labels.ts';
import { landingCheckName, withReviewers } from '../observe/observe-projections.ts';
import { buildOf, mergeBuild } from './compose-build.ts';
import type { ComputeInput } from './compute-input.ts';
import { examineBuild } from './member-changes.ts';

/** Reads everything once more and, when it proves the build, makes the moves that land it. */
export async function land(input: ComputeInput, number: number): Promise<ComputationOutcome> {
  const { context, snapshot, policy } = input;
  const build = buildOf(input, number);
  const trunkRef = branchRef(snapshot.repository.trunk);
  const refs = await context.clone.lsRemote([trunkRef, queueRef(number)]);
  const commit = build.commit ?? zeroOid;
  const [checks, members, examined, recomposed] = await Promise.all([
    observeChecks(context.client, context.name, commit, { runs: true }),
    readMembers(input, build),
    examineBuild(context, build),
    mergeBuild(context.clone, build, build.stateCommit ?? zeroOid),
  ]);
  const own = checks.filter((check) => check.name === landingCheckName && check.appId === context.app.id);
  const newest = own.sort((left, right) => right.id - left.id)[0];
  const decision = proveLanding({
    build,
    trunk: refs.get(trunkRef) ?? zeroOid,
    trunkBranch: snapshot.repository.trunk,
    queueRef: refs.get(queueRef(number)) ?? null,
    recomposed: recomposed.kind === 'built' ? recomposed.commit : null,
    surplus: examined.surplus,
    silentReverts: examined.silentReverts,
    checks: readRequiredChecks(policy.required_checks, checks, commit, queueBranch(number)),
    landingCheckAgrees: newest?.conclusion === 'success' && newest.externalId === build.verdict?.keyDigest,
    members,
  });
  if (decision.kind === 'refused') {
    return { kind: 'landing-refused', number, reason: decision.reason, of: decision.of, next: decision.next };
  }
  return {
    kind: 'landed',
    number,
    commit: decision.proof.commit,
    moves: landingMoves(decision.proof, trunkRef),
  };
}

/** Trunk moves only by a proof; the queue ref goes with the same push. */
function landingMoves(proof: LandingProof, trunkRef: string): RefMove[] {
  return [
    { ref: trunkRef, expected: proof.base, next: proof.commit },
    { ref: queueRef(proof.build.number), expected: proof.commit, next: zeroOid },
  ];
}

async function readMembers(input: ComputeInput, build: BuildState): Promise<FreshMember[]> {
  const { client, name } = input.context;
  const numbers = build.members.filter((member) => member.kind === 'task').map((member) => member.number);
  const consumed = new Map([...input.state.tasks].map(([number, task]) => [number, task.consumedEvents]));
  const { issues } = await observeIssues(client, name, { numbers, dispatchLabel, consumed });
  return Promise.all(
    build.members.map(async (member: Member) => {
      const issue = issues.get(member.number) ?? null;
      const reviews = member.kind === 'task' && issue !== null && mustBeApproved(input.readSpec(issue));
      const pull = member.pull === null ? null : await observePull(client, name, member.pull, { reviews });
      return {
        member,
        pull: pull === null ? null : await withReviewers(input.context, pull),
        issue,
        task: input.state.tasks.get(member.number) ?? null,
        needsReview: reviews,
      };
    }),
  );
}
