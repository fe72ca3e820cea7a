import { formatAttemptId, parseAttemptId } from '../domain/attempt.ts';
import { usdToMicro } from '../domain/budget.ts';
import type { SpawnContract } from '../domain/contract.ts';
import { digestValue } from '../domain/digest.ts';
import type { TaskSpec } from '../domain/spec.ts';
import type { TaskState } from '../domain/state.ts';
import { limitsOf } from '../policy/narrow.ts';
import { specDigest } from '../spec/digest.ts';
import { because, type Draft, instant, tasksInOrder } from './draft.ts';
import { pathsOverlap } from './graph/path-overlap.ts';

/**
 * Claims ready tasks: raises the generation, writes the contract, takes the task's paths. Nothing is started here; the
 * dispatch follows once the claim has been pushed.
 */
export function claim(draft: Draft): void {
  const { repository } = draft;
  const ready = tasksInOrder(draft)
    .filter((task) => task.phase === 'ready')
    .map((task) => ({ task, spec: readySpec(draft, task) }))
    .sort(
      (left, right) =>
        (left.spec?.priority ?? 9) - (right.spec?.priority ?? 9) || left.task.issue - right.task.issue,
    );
  for (const { task, spec } of ready) {
    if (spec === null || !isStillAsked(draft, task)) continue;
    const hindrance =
      repository.pause !== null
        ? because('paused')
        : repository.frozen
          ? because('frozen')
          : (usedUp(draft, task) ?? capReached(draft) ?? pathConflict(draft, task, spec));
    if (hindrance?.code === 'task-budget-spent' || hindrance?.code.startsWith('generations-used-up')) {
      task.phase = 'halted';
      task.reason = hindrance;
    } else if (hindrance === null) claimTask(draft, task, spec);
    else task.reason = hindrance;
  }
}

/**
 * Whoever asked must have write access when the work begins. Where that was not read, neither for the request nor since, the task
 * stays ready until it was.
 */
function isStillAsked(draft: Draft, task: TaskState): boolean {
  const issue = draft.snapshot.issues.get(task.issue)!;
  const asked = issue.requests.find((event) => event.eventId === task.request?.eventId);
  const mayWrite = issue.askerMayWrite ?? asked?.actor.mayWrite ?? null;
  if (mayWrite === false) {
    task.phase = 'withdrawn';
    task.reason = because('labeller-may-not-write');
  }
  return mayWrite === true;
}

function specOf(draft: Draft, task: TaskState): TaskSpec | null {
  const issue = draft.snapshot.issues.get(task.issue);
  if (issue === undefined) return null;
  const read = draft.readSpec(issue);
  return read.kind === 'valid' ? read.spec : null;
}

/** The spec of a ready task. What trunk's policy no longer allows is invalid now, although it was valid when it was asked for. */
function readySpec(draft: Draft, task: TaskState): TaskSpec | null {
  const spec = specOf(draft, task);
  if (spec === null && draft.snapshot.issues.has(task.issue)) {
    task.phase = 'invalid';
    task.reason = because('spec-invalid');
  }
  return spec;
}

/** Tasks that own their paths: from the claim until they landed or were given up. */
function owners(draft: Draft): TaskState[] {
  return tasksInOrder(draft).filter((task) =>
    ['running', 'reported', 'guarding', 'reviewing', 'queued'].includes(task.phase),
  );
}

function capReached(draft: Draft): ReturnType<typeof because> | null {
  const running = owners(draft).filter((task) => task.phase === 'running').length;
  return running >= draft.policy.caps.running ? because('too-many-running', running) : null;
}

function pathConflict(draft: Draft, task: TaskState, spec: TaskSpec): ReturnType<typeof because> | null {
  for (const owner of owners(draft)) {
    const owned = owner.issue === task.issue ? null : specOf(draft, owner);
    if (owned !== null && pathsOverlap(owned.allowedPaths, spec.allowedPaths))
      return because('paths-owned-by', owner.issue);
  }
  return null;
}

/** Caps that no waiting lifts. A task comes here with its generations used up when its change did not merge. */
function usedUp(draft: Draft, task: TaskState): ReturnType<typeof because> | null {
  const { caps } = draft.policy;
  if (task.spent.microUsd >= usdToMicro(caps.usd)) return because('task-budget-spent', task.issue);
  if (task.spent.generations < caps.generations) return null;
  const last = task.reason;
  return because(`generations-used-up${last === null ? '' : `.${last.code}`}`.slice(0, 80), last?.of ?? null);
}

function claimTask(draft: Draft, task: TaskState, spec: TaskSpec): void {
  const generation = highestGeneration(draft, task) + 1;
  const contract = writeContract(draft, task, spec, generation);
  task.generation = generation;
  task.spent.generations += 1;
  task.attempt = {
    id: contract.attempt,
    generation,
    contract,
    contractDigest: digestValue(contract),
    claimedAt: instant(draft.snapshot.now),
    dispatches: 0,
    dispatchedAt: null,
    runId: null,
    boundAt: null,
    workingSince: null,
    stop: null,
    lastSequence: 0,
    report: null,
    microUsd: null,
    tries: 0,
    ended: false,
  };
  task.specDigest = contract.specDigest;
  task.verdict = null;
  task.facts = null;
  task.refused = null;
  task.phase = 'running';
  task.reason = null;
}

/**
 * The highest generation seen anywhere: in state, in the refs of published and refused attempts, in the names of the
 * worker's runs. A rolled-back state can therefore not hand out a number twice.
 */
function highestGeneration(draft: Draft, task: TaskState): number {
  let highest = task.generation;
  const see = (attempt: string | undefined) => {
    const parsed = attempt === undefined ? null : parseAttemptId(attempt);
    if (parsed?.issue === task.issue) highest = Math.max(highest, parsed.generation);
  };
  for (const ref of draft.snapshot.refs.keys()) {
    see(/^refs\/heads\/ccd\/attempt\/(.+)$/.exec(ref)?.[1]);
    see(/^refs\/ccd\/refused\/(\d+\.\d+)\.\d+$/.exec(ref)?.[1]);
  }
  for (const title of draft.snapshot.runsByTitle.keys()) see(title);
  return highest;
}

function writeContract(draft: Draft, task: TaskState, spec: TaskSpec, generation: number): SpawnContract {
  const { snapshot, policy } = draft;
  const issue = snapshot.issues.get(task.issue)!;
  return {
    version: 1,
    repositoryId: snapshot.repository.id,
    issue: task.issue,
    generation,
    attempt: formatAttemptId(task.issue, generation),
    attemptClass: 'mutable',
    profiles: [...spec.profiles],
    base: snapshot.trunk.oid,
    baseTree: snapshot.trunk.tree,
    bodyDigest: issue.bodyDigest,
    specDigest: specDigest(spec),
    policyDigest: snapshot.policyDigest,
    limits: limitsOf(policy, spec.budget, task.spent.microUsd),
    isolation: policy.agent.isolation,
    carry: task.carry,
  };
}
