import type { Computation, RefMove } from '../../../src/domain/command.ts';
import { digestValue } from '../../../src/domain/digest.ts';
import { zeroOid } from '../../../src/domain/ids.ts';
import type { ComputationOutcome } from '../../../src/domain/outcome.ts';
import type { Snapshot } from '../../../src/domain/snapshot.ts';
import type { BuildState, State, VerdictState } from '../../../src/domain/state.ts';
import { proveLanding } from '../../../src/landing/prove-landing.ts';
import { readRequiredChecks } from '../../../src/landing/required-checks.ts';
import { queueBranch } from '../../../src/supervisor/building.ts';
import { idOf, instantOf, planOf, policy, type SimWorld } from './world.ts';

export interface SimInput {
  readonly world: SimWorld;
  readonly snapshot: Snapshot;
  readonly state: State;
}

/** What a computation finds in this world. Like the real ones it changes nothing. */
export function computeIn(input: SimInput, work: Computation): ComputationOutcome {
  switch (work.kind) {
    case 'import-handover':
      return importTree(input, work);
    case 'read-report':
      return readReport(input, work);
    case 'publish-refused':
      return { kind: 'refused-stands', issue: work.issue };
    case 'judge-candidate': {
      const { oid, tree } = input.state.tasks.get(work.issue)!.candidate!;
      const bad = input.world.trees.get(tree) === 'bad';
      const verdict = judge(input.world, oid, bad, work);
      return verdict === null
        ? { kind: 'candidate-needs-facts', issue: work.issue, planDigest: planOf(oid) }
        : { kind: 'candidate-judged', issue: work.issue, verdict };
    }
    case 'compose-build':
      return compose(input, input.state.queue.build!);
    case 'judge-build': {
      const verdict = judge(input.world, input.state.queue.build!.commit!, false, work);
      const planDigest = planOf(input.state.queue.build!.commit!);
      return verdict === null
        ? { kind: 'build-needs-facts', number: work.number, planDigest }
        : { kind: 'build-judged', number: work.number, verdict };
    }
    case 'land':
      return land(input, input.state.queue.build!);
    case 'move-refs':
      return { kind: 'refs-moved', moves: work.moves };
  }
}

function move({ snapshot }: SimInput, ref: string, next: string): RefMove[] {
  const expected = snapshot.refs.get(ref) ?? zeroOid;
  return expected === next ? [] : [{ ref, expected, next }];
}

function importTree(
  input: SimInput,
  work: Extract<Computation, { kind: 'import-handover' }>,
): ComputationOutcome {
  const { issue, attempt, artifactId, sequence } = work;
  const content = input.world.contents.get(artifactId);
  const task = input.state.tasks.get(issue)!;
  const entry = { issue, attempt, artifactId, sequence };
  if (content?.kind !== 'tree') return { kind: 'handover-unreadable', ...entry, reason: 'malformed' };
  const { tree } = content;
  const worth = input.world.trees.get(tree);
  const commit = idOf('candidate', attempt, sequence, tree);
  if (worth === 'unreadable') return { kind: 'handover-unreadable', ...entry, reason: 'bundle.bomb' };
  if (worth === 'refused') {
    const [number, generation] = attempt.split('.');
    const moves = move(input, `refs/ccd/refused/${number}.${generation}.${task.refusedTrees + 1}`, commit);
    return { kind: 'handover-refused', ...entry, tree, commit, findings: [], moves };
  }
  const { base, baseTree } = task.attempt!.contract;
  return {
    kind: 'handover-accepted',
    issue,
    artifactId,
    sequence,
    candidate: { oid: commit, tree, base, baseTree, attempt, sequence, staticFindings: [] },
    moves: [`refs/heads/ccd/task/${issue}`, `refs/heads/ccd/attempt/${attempt}`].flatMap((ref) =>
      move(input, ref, commit),
    ),
  };
}

function readReport(
  input: SimInput,
  work: Extract<Computation, { kind: 'read-report' }>,
): ComputationOutcome {
  const content = input.world.contents.get(work.artifactId);
  const { issue, attempt, artifactId } = work;
  if (content?.kind !== 'report')
    return { kind: 'report-invalid', issue, attempt, artifactId, reason: 'malformed' };
  const contract = input.state.tasks.get(issue)!.attempt!.contract;
  return {
    kind: 'report-read',
    issue,
    attempt,
    artifactId,
    report: {
      version: 1,
      attempt,
      contractDigest: digestValue(contract),
      status: content.status,
      outcome:
        content.status === 'ready'
          ? { class: 'success', reason: 'done' }
          : { class: 'deterministic', reason: 'crash' },
      exitCode: content.status === 'ready' ? 0 : 1,
      startedAt: '2026-01-01T00:00:00.000Z',
      endedAt: '2026-01-01T00:01:00.000Z',
      base: contract.base,
      tree: content.tree,
      lastSequence: 1,
      changedFiles: [],
      checks: [],
      violations: [],
      overlaps: null,
      unfinished: [],
      proposedCommit: null,
      tries: 1,
      usage: { microUsd: 10, estimated: false, inputTokens: 1, outputTokens: 1, turns: 1 },
      agent: { version: null, model: null },
      isolation: { enforced: 'none', detail: '' },
      cleanup: { killed: 0 },
      claim: null,
    },
  };
}

/** Null: facts are needed first. */
function judge(
  world: SimWorld,
  head: string,
  bad: boolean,
  work: { readonly try: number; readonly factsArtifact: number | null; readonly factsMissing: boolean },
): VerdictState | null {
  const base = { keyDigest: digestValue({ head }), try: work.try, findings: [], judgedAt: instantOf(world) };
  if (work.factsMissing) return { ...base, verdict: 'could-not-judge', reason: 'no-facts' };
  if (work.factsArtifact === null) return null;
  return { ...base, verdict: bad ? 'fail' : 'pass', reason: null };
}

function commitOf(build: BuildState, stateCommit: string): string {
  return idOf(
    'build',
    build.number,
    build.try,
    build.base,
    build.madeAt,
    stateCommit,
    ...build.members.map((member) => member.candidate),
  );
}

function compose(input: SimInput, build: BuildState): ComputationOutcome {
  const { stateHead } = input.snapshot;
  const trees = build.members.map((member) => input.state.tasks.get(member.number)?.candidate?.tree ?? '');
  if (trees.some((tree) => input.world.trees.get(tree) === 'conflicting')) {
    return {
      kind: 'build-conflict',
      number: build.number,
      candidate: build.members[0]!.candidate,
      empty: false,
    };
  }
  const commit = commitOf(build, stateHead);
  const moves = move(input, `refs/heads/${queueBranch(build.number)}`, commit);
  return {
    kind: 'build-composed',
    number: build.number,
    commit,
    tree: idOf(commit, 'tree'),
    stateCommit: stateHead,
    moves,
  };
}

/** Reads the world as it is now, not as the snapshot was. */
function land({ world, state }: SimInput, build: BuildState): ComputationOutcome {
  const ref = `refs/heads/${queueBranch(build.number)}`;
  const checks = world.checks.get(build.commit ?? '') ?? [];
  const newest = checks
    .filter((check) => check.name === 'ccd / landing')
    .sort((left, right) => right.id - left.id)[0];
  const decision = proveLanding({
    build,
    trunk: world.refs.get('refs/heads/main')!,
    trunkBranch: 'main',
    queueRef: world.refs.get(ref) ?? null,
    recomposed: commitOf(build, build.stateCommit ?? ''),
    surplus: [],
    silentReverts: [],
    checks: readRequiredChecks(policy.required_checks, checks, build.commit ?? '', queueBranch(build.number)),
    landingCheckAgrees: newest?.conclusion === 'success' && newest.externalId === build.verdict?.keyDigest,
    members: build.members.map((member) => ({
      member,
      pull: world.pulls.get(member.pull ?? 0) ?? null,
      issue: world.issues.get(member.number) ?? null,
      task: state.tasks.get(member.number) ?? null,
      needsReview: false,
    })),
  });
  const number = build.number;
  if (decision.kind === 'refused')
    return { kind: 'landing-refused', number, reason: decision.reason, of: decision.of, next: decision.next };
  const { base, commit } = decision.proof;
  return {
    kind: 'landed',
    number,
    commit,
    moves: [
      { ref: 'refs/heads/main', expected: base, next: commit },
      { ref, expected: commit, next: zeroOid },
    ],
  };
}
