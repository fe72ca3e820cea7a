import { zeroOid } from '../domain/ids.ts';
import type { ObservedCheck } from '../domain/snapshot.ts';
import type { BuildState, Member } from '../domain/state.ts';
import { type BuildStep, decideBuildStep, type LandingCheckWord } from '../landing/build-step.ts';
import { leaveQueue } from '../landing/membership.ts';
import { readRequiredChecks } from '../landing/required-checks.ts';
import { handBackAnswer, owe } from './answers.ts';
import { because, type Draft, instant, wakeAt } from './draft.ts';
import { followFacts } from './facts-job.ts';
import { nextTry } from './guarding.ts';
import { intend, intentKeys } from './intend.ts';
import { regenerate } from './regenerate.ts';

export const queueBranch = (build: number) => `ccd/queue/${build}`;

/** Makes, follows and lands one build at a time. */
export function building(draft: Draft): void {
  if (draft.queue.build === null) startBuild(draft);
  else stepBuild(draft, draft.queue.build);
  if (draft.repository.ready) sweepQueueRefs(draft);
}

/** Queue refs belong to the app alone: one that is not the standing build's is a leftover. */
function sweepQueueRefs(draft: Draft): void {
  const standing = draft.queue.build?.number ?? null;
  const moves = [...draft.snapshot.refs]
    .map(([ref, oid]) => ({ ref, oid, build: Number(/^refs\/heads\/ccd\/queue\/(\d+)$/.exec(ref)?.[1]) }))
    .filter(({ build }) => !Number.isNaN(build) && build !== standing)
    .map(({ ref, oid }) => ({ ref, expected: oid, next: zeroOid }));
  if (moves.length > 0) draft.computations.push({ kind: 'move-refs', moves });
}

function startBuild(draft: Draft): void {
  const { repository, queue, snapshot } = draft;
  if (repository.pause !== null || repository.frozen || !repository.ready) return;
  const first = queue.members[0];
  if (first === undefined) return;
  if (draft.policy.required_checks.length === 0) {
    handBack(draft, [first], 'no-required-checks', 'nobody', null);
    return;
  }
  draft.queue.build = {
    number: repository.nextBuild,
    try: 1,
    base: snapshot.trunk.oid,
    baseTree: snapshot.trunk.tree,
    stateCommit: null,
    madeAt: instant(snapshot.now),
    members: [first],
    commit: null,
    tree: null,
    pushedAt: null,
    facts: null,
    verdict: null,
    policyDigest: snapshot.policyDigest,
  };
  repository.nextBuild += 1;
}

function stepBuild(draft: Draft, build: BuildState): void {
  const { snapshot } = draft;
  const checks = build.commit === null ? [] : (snapshot.checks.get(build.commit) ?? []);
  const recordedBuild = snapshot.state.queue.build;
  const step = decideBuildStep(
    {
      build,
      trunk: snapshot.trunk.oid,
      membersStand: build.members.every((member) => stands(draft, member)),
      recorded: recordedBuild?.number === build.number && recordedBuild.try === build.try,
      checks: readRequiredChecks(
        draft.policy.required_checks,
        checks,
        build.commit ?? '',
        queueBranch(build.number),
      ),
      landingCheck: landingCheckWord(draft, build),
      now: snapshot.now,
    },
    draft.policy,
  );
  carryOut(draft, build, step);
}

function stands(draft: Draft, member: Member): boolean {
  return draft.queue.members.some(
    (entry) => entry.number === member.number && entry.candidate === member.candidate,
  );
}

function landingCheckWord(draft: Draft, build: BuildState): LandingCheckWord {
  const newest = shownLandingCheck(draft, build);
  if (newest === null) return 'absent';
  return newest.conclusion === 'success' && newest.externalId === build.verdict?.keyDigest
    ? 'agrees'
    : 'differs';
}

/** The newest `ccd / landing` of the app on the build, as read in this pass. */
function shownLandingCheck(draft: Draft, build: BuildState): ObservedCheck | null {
  const { checks, repository } = draft.snapshot;
  const own = (build.commit === null ? [] : (checks.get(build.commit) ?? [])).filter(
    (check) => check.name === 'ccd / landing' && check.appId === repository.appId,
  );
  return own.sort((left, right) => right.id - left.id)[0] ?? null;
}

function carryOut(draft: Draft, build: BuildState, step: BuildStep): void {
  switch (step.kind) {
    case 'wait':
      if (step.until !== null) wakeAt(draft, step.until);
      return;
    case 'compose':
      draft.computations.push({ kind: 'compose-build', number: build.number, try: build.try });
      return;
    case 'judge':
      judgeBuild(draft, build);
      return;
    case 'retry-facts':
      build.verdict = null;
      if (build.facts !== null) build.facts = nextTry(build.facts);
      return;
    case 'show-verdict':
      showVerdict(draft, build);
      return;
    case 'land':
      if (draft.repository.pause === null && !draft.repository.frozen) {
        draft.computations.push({ kind: 'land', number: build.number, try: build.try });
      }
      return;
    case 'dissolve':
      endBuild(draft, build, step.why === 'trunk-moved' ? 'rebuilt' : 'dissolved', step.why);
      return;
    case 'retry':
      Object.assign(build, freshTry(build, draft.snapshot.now));
      return;
    case 'hand-back':
      endBuild(draft, build, 'failed', step.why);
      handBack(draft, build.members, step.why, step.blame, build.number);
      return;
  }
}

/** The same number once more: another commit, because its try and its date differ. */
function freshTry(build: BuildState, now: number): Partial<BuildState> {
  return {
    try: build.try + 1,
    madeAt: instant(now),
    stateCommit: null,
    commit: null,
    tree: null,
    pushedAt: null,
    facts: null,
    verdict: null,
  };
}

function judgeBuild(draft: Draft, build: BuildState): void {
  const base = { kind: 'judge-build', number: build.number } as const;
  if (build.facts === null) {
    draft.computations.push({ ...base, try: 1, factsArtifact: null, factsMissing: false });
    return;
  }
  const step = followFacts(draft, build.facts, { kind: 'build', number: build.number });
  build.facts = step.facts;
  if (step.kind === 'waits') return;
  draft.computations.push({
    ...base,
    try: build.facts.try,
    factsArtifact: step.kind === 'delivered' ? step.artifactId : null,
    factsMissing: step.kind === 'missing',
  });
}

function showVerdict(draft: Draft, build: BuildState): void {
  if (build.verdict === null || build.commit === null) return;
  intend(draft, intentKeys.landingCheck(build.number, build.try), {
    kind: 'put-landing-check',
    build: build.number,
    commit: build.commit,
    checkId: shownLandingCheck(draft, build)?.id ?? null,
    keyDigest: build.verdict.keyDigest,
  });
}

/** Ends the build in flight: its record is written; its ref is swept away with the same push. */
export function endBuild(
  draft: Draft,
  build: BuildState,
  outcome: 'failed' | 'rebuilt' | 'dissolved',
  why: string,
): void {
  draft.builds.set(`${build.number}.${build.try}`, {
    version: 1,
    number: build.number,
    try: build.try,
    outcome,
    reason: because(why, build.number),
    base: build.base,
    commit: build.commit,
    tree: build.tree,
    members: build.members,
    keyDigest: build.verdict?.keyDigest ?? null,
    endedAt: instant(draft.snapshot.now),
  });
  draft.queue.build = null;
}

/** Takes members out of the queue: a blamed task gets its next generation, the others are held for a person. */
export function handBack(
  draft: Draft,
  members: readonly Member[],
  why: string,
  blame: 'candidate' | 'nobody',
  build: number | null,
): void {
  for (const member of members) {
    draft.queue = leaveQueue(draft.queue, member.number);
    if (member.kind === 'pull') owe(draft, handBackAnswer(member, why, build));
    const task = member.kind === 'task' ? draft.tasks.get(member.number) : undefined;
    if (task === undefined) continue;
    if (blame === 'candidate') regenerate(draft, task, because(why, build));
    else {
      task.phase = 'held';
      task.reason = because(why, build);
    }
  }
}
