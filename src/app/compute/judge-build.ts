import type { Computation } from '../../domain/command.ts';
import { digestValue } from '../../domain/digest.ts';
import type { ComputationOutcome } from '../../domain/outcome.ts';
import type { TaskSpec } from '../../domain/spec.ts';
import type { BuildState } from '../../domain/state.ts';
import { type Finding, guardVersion, type Rule } from '../../domain/verdict.ts';
import { judgeFacts } from '../../guard/facts/judge-facts.ts';
import { type FactsPart, judge } from '../../guard/judge.ts';
import { waiversDigest } from '../../guard/waivers.ts';
import type { Policy } from '../../policy/policy.ts';
import { specDigest } from '../../spec/digest.ts';
import { buildOf } from './compose-build.ts';
import { type ComputeInput, missing, specOf } from './compute-input.ts';
import { imageOf, readFacts, writeOnce } from './judge-candidate.ts';
import { examineBuild } from './member-changes.ts';
import { waiversOf } from './waivers.ts';

type Request = Extract<Computation, { kind: 'judge-build' }>;

/**
 * Judges the build against the trunk it will land on: exact composition of its members' changes, tests only grown, nothing that
 * passed lost. Each task member was judged against its own spec already; a person's is judged here, by policy's rules for people.
 */
export async function judgeBuild(input: ComputeInput, request: Request): Promise<ComputationOutcome> {
  const { number } = request;
  const { context, snapshot, policy } = input;
  const build = buildOf(input, number);
  if (build.commit === null || build.tree === null) throw missing(`a commit of build ${number}`);
  const spec = specOfBuild(input, build);
  const { statics, need } = await context.judge({
    repoDir: context.clone.dir,
    judged: 'build',
    base: build.base,
    head: build.commit,
    spec,
    policy,
    rules: rulesOf(build, policy),
  });
  const composition = await compositionFindings(input, build);
  const waivers = build.members.flatMap((member) => waiversOf(input, member.number));
  const clean = statics.kind === 'judged' && composition.length === 0;
  const wantsFacts = clean && need.kind === 'plan' && !alreadyExecuted(input, build);
  if (wantsFacts && request.factsArtifact === null && !request.factsMissing) {
    return { kind: 'build-needs-facts', number, planDigest: digestValue(need.plan) };
  }
  const read = wantsFacts ? await readFacts(input, request.factsArtifact) : null;
  const facts: FactsPart = !wantsFacts
    ? need.kind === 'could-not' && !alreadyExecuted(input, build)
      ? { kind: 'missing', reason: need.reason }
      : { kind: 'none-needed' }
    : read === null
      ? { kind: 'missing', reason: 'No facts were delivered.' }
      : judgeFacts({ plan: need.plan, facts: read, spec, rules: new Set(['R4']) });
  const verdict = judge({
    key: {
      judged: 'build',
      baseTree: build.baseTree,
      headTree: build.tree,
      policyDigest: snapshot.policyDigest,
      specDigest: specDigest(spec),
      waiversDigest: waiversDigest(waivers),
      guardVersion,
      runnerImage: imageOf(read),
    },
    try: request.try,
    statics,
    facts,
    composition,
    waivers,
  });
  return { kind: 'build-judged', number, verdict: await writeOnce(input, verdict) };
}

/**
 * True for a build of one task whose trees, on both sides, are the very trees that the candidate passed with under the policy of
 * now: what would be executed was executed.
 */
function alreadyExecuted(input: ComputeInput, build: BuildState): boolean {
  const [member] = build.members;
  const task = member?.kind === 'task' ? input.state.tasks.get(member.number) : undefined;
  return (
    build.members.length === 1 &&
    task?.verdict?.verdict === 'pass' &&
    task.candidate?.tree === build.tree &&
    task.candidate.baseTree === build.baseTree &&
    task.attempt?.contract.policyDigest === input.snapshot.policyDigest
  );
}

/** Tasks were judged by all rules as candidates: of a build only what composition can break is asked again. */
function rulesOf(build: BuildState, policy: Policy): Rule[] {
  return build.members.some((member) => member.kind === 'pull') ? [...policy.people.rules] : ['R2'];
}

export function specOfBuild(input: ComputeInput, build: BuildState): TaskSpec {
  const [member] = build.members;
  if (member?.kind === 'task') return specOf(input, member.number);
  return peopleSpec(input.policy);
}

/** What people's changes are judged by: no paths, no target, no bound; the rules that policy names for people. */
function peopleSpec(policy: Policy): TaskSpec {
  const { task, agent } = policy;
  return {
    kind: 'refactor',
    objective: 'A change of a person.',
    acceptanceCriteria: [],
    allowedPaths: ['*'],
    targetTests: [],
    expectChanges: [],
    setup: task.setup,
    testCommand: task.test_command,
    verify: [],
    maxProdLines: task.max_prod_lines,
    allow: {
      binary: [],
      mode: [],
      submodule: [],
      symlink: [],
      generated: [],
      hooks: [],
      manifests: [],
      rename: [],
    },
    profiles: [...policy.profiles],
    budget: {
      maxUsd: agent.max_usd,
      maxTurns: agent.max_turns,
      maxTries: agent.max_tries,
      wallClockMinutes: agent.wall_clock_minutes,
    },
    priority: 0,
    dependsOn: [],
  };
}

async function compositionFindings(input: ComputeInput, build: BuildState): Promise<Finding[]> {
  const { surplus, silentReverts } = await examineBuild(input.context, build);
  const finding = (kind: string, path: string, reason: string, remedy: string): Finding => ({
    rule: 'R0',
    class: kind,
    file: path,
    line: null,
    reason,
    remedy,
    fingerprint: digestValue({ rule: 'R0', class: kind, path, base: build.baseTree, head: build.tree }),
  });
  return [
    ...surplus.map((path) =>
      finding(
        'surplus-change',
        path,
        'The build changes this path in a way that no member does.',
        'Report this: git merged what nobody wrote.',
      ),
    ),
    ...silentReverts.map((path) =>
      finding(
        'silent-revert',
        path,
        'The change puts this file back to a version that trunk has left.',
        'Make the change again on the trunk of now.',
      ),
    ),
  ];
}
