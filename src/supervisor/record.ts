import type { Computation } from '../domain/command.ts';
import type { ComputationOutcome } from '../domain/outcome.ts';
import type { HandoverState, State, TaskState } from '../domain/state.ts';
import { leaveQueue } from '../landing/membership.ts';
import { handBackAnswer, withAnswer } from './answers.ts';
import { wantFacts } from './guarding.ts';

type Entry = Omit<HandoverState, 'attempt'>;

/**
 * The state after what the pass's computations found. Pure: the same state and outcomes give the same state. An outcome that
 * speaks of a task or build that is no longer there changes nothing.
 */
export function record(state: State, outcomes: readonly ComputationOutcome[], now: string): State {
  let next = state;
  for (const outcome of outcomes) next = recordOne(next, outcome, now);
  return next;
}

function recordOne(state: State, outcome: ComputationOutcome, now: string): State {
  switch (outcome.kind) {
    case 'handover-accepted':
      return withTask(state, outcome.issue, (task) => ({
        ...noted(task, outcome.candidate.attempt, {
          artifactId: outcome.artifactId,
          sequence: outcome.sequence,
          result: 'accepted',
          tree: outcome.candidate.tree,
          refused: null,
        }),
        candidate: outcome.candidate,
        refused: null,
        verdict: null,
        facts: null,
      }));
    case 'handover-unchanged':
      return withTask(state, outcome.issue, (task) => ({
        ...noted(task, outcome.attempt, {
          artifactId: outcome.artifactId,
          sequence: outcome.sequence,
          result: 'unchanged',
          tree: outcome.tree,
          refused: null,
        }),
        // Back at a tree that may be shown: what was refused in between is no longer what is offered.
        refused: task.candidate?.tree === outcome.tree ? null : task.refused,
      }));
    case 'handover-refused':
      return withTask(state, outcome.issue, (task) => ({
        ...noted(task, outcome.attempt, {
          artifactId: outcome.artifactId,
          sequence: outcome.sequence,
          result: 'refused',
          tree: outcome.tree,
          refused: 'guard',
        }),
        refused: { commit: outcome.commit, findings: [...outcome.findings] },
        refusedTrees: task.refusedTrees + 1,
      }));
    case 'refused-published':
      return withTask(state, outcome.issue, (task) => ({
        ...task,
        candidate: outcome.candidate,
        refused: null,
        verdict: null,
        facts: null,
      }));
    case 'refused-stands':
      return withTask(state, outcome.issue, (task) => ({
        ...task,
        phase: 'held',
        reason: { code: 'tree-refused', of: null },
      }));
    case 'handover-unreadable':
      return withTask(state, outcome.issue, (task) =>
        noted(task, outcome.attempt, {
          artifactId: outcome.artifactId,
          sequence: outcome.sequence,
          result: 'unreadable',
          tree: null,
          refused: outcome.reason,
        }),
      );
    case 'report-read':
      return withTask(state, outcome.issue, (task) => withReport(task, outcome));
    case 'late-report':
      return withTask(state, outcome.issue, (task) => withLateReport(task, outcome));
    case 'report-invalid':
      return withTask(state, outcome.issue, (task) =>
        noted(task, outcome.attempt, {
          artifactId: outcome.artifactId,
          sequence: 0,
          result: 'report-invalid',
          tree: null,
          refused: outcome.reason,
        }),
      );
    case 'candidate-judged':
      return withTask(state, outcome.issue, (task) => ({ ...task, verdict: outcome.verdict }));
    case 'candidate-needs-facts':
      return withTask(state, outcome.issue, (task) => ({ ...task, facts: wantFacts(outcome.planDigest) }));
    case 'refs-moved':
      return state;
    default:
      return recordBuild(state, outcome, now);
  }
}

type BuildOutcome = Extract<
  ComputationOutcome,
  {
    kind:
      | 'build-composed'
      | 'build-conflict'
      | 'candidate-gone'
      | 'build-judged'
      | 'build-needs-facts'
      | 'landed'
      | 'landing-refused';
  }
>;

const afterwards = { rebuild: 'again', hold: 'held', review: 'review' } as const;

function recordBuild(state: State, outcome: BuildOutcome, now: string): State {
  const build = state.queue.build;
  if (build === null || build.number !== outcome.number) return state;
  const withBuild = (change: Partial<typeof build>): State => ({
    ...state,
    queue: { ...state.queue, build: { ...build, ...change } },
  });
  switch (outcome.kind) {
    case 'build-composed':
      return withBuild({
        commit: outcome.commit,
        tree: outcome.tree,
        stateCommit: outcome.stateCommit,
        pushedAt: now,
      });
    case 'build-judged':
      return withBuild({ verdict: outcome.verdict });
    case 'build-needs-facts':
      return withBuild({ facts: wantFacts(outcome.planDigest) });
    case 'landed':
      return landed(state, outcome.commit, now);
    case 'build-conflict':
      return dropped(
        state,
        outcome.empty ? 'empty-change' : 'merge-conflict',
        outcome.empty ? 'held' : 'carry',
        now,
      );
    case 'candidate-gone':
      return dropped(state, 'candidate-gone', 'held', now);
    case 'landing-refused':
      if (outcome.next === 'wait') return state;
      return dropped(state, outcome.reason, afterwards[outcome.next], now);
  }
}

function landed(state: State, commit: string, now: string): State {
  const build = state.queue.build!;
  let next: State = {
    ...state,
    repository: { ...state.repository, lastLanded: commit },
    queue: { ...state.queue, build: null },
    builds: new Map(state.builds).set(`${build.number}.${build.try}`, {
      version: 1,
      number: build.number,
      try: build.try,
      outcome: 'landed',
      reason: null,
      base: build.base,
      commit,
      tree: build.tree,
      members: build.members,
      keyDigest: build.verdict?.keyDigest ?? null,
      endedAt: now,
    }),
  };
  for (const member of build.members) {
    next = { ...next, queue: leaveQueue(next.queue, member.number) };
    if (member.kind !== 'task') continue;
    next = withTask(next, member.number, (task) => ({
      ...task,
      phase: 'landed',
      reason: null,
      landed: { build: build.number, commit, at: now },
    }));
  }
  return next;
}

type Afterwards = 'again' | 'held' | 'review' | 'carry';

/**
 * `again`: members stay queued. `held`: a person has to look; `review`: one has to approve. `carry`: the next generation starts from the
 * change on the new base. A person's pull request leaves the queue, and its author is told.
 */
function dropped(state: State, why: string, then: Afterwards, now: string): State {
  const build = state.queue.build!;
  let next: State = {
    ...state,
    queue: { ...state.queue, build: null },
    builds: new Map(state.builds).set(`${build.number}.${build.try}`, {
      version: 1,
      number: build.number,
      try: build.try,
      outcome: then === 'again' ? 'rebuilt' : 'failed',
      reason: { code: why, of: build.number },
      base: build.base,
      commit: build.commit,
      tree: build.tree,
      members: build.members,
      keyDigest: build.verdict?.keyDigest ?? null,
      endedAt: now,
    }),
  };
  if (then === 'again') return next;
  for (const member of build.members) {
    next = { ...next, queue: leaveQueue(next.queue, member.number) };
    if (member.kind === 'pull') {
      next = { ...next, repository: withAnswer(next.repository, handBackAnswer(member, why, build.number)) };
      continue;
    }
    next = withTask(next, member.number, (task) => ({
      ...task,
      phase: then === 'held' ? 'held' : then === 'review' ? 'reviewing' : 'ready',
      reason: { code: why, of: build.number },
      carry:
        task.candidate === null ? task.carry : { candidate: task.candidate.oid, base: task.candidate.base },
    }));
  }
  return next;
}

function withTask(state: State, issue: number, change: (task: TaskState) => TaskState): State {
  const task = state.tasks.get(issue);
  return task === undefined ? state : { ...state, tasks: new Map(state.tasks).set(issue, change(task)) };
}

/** The task with one artifact noted as read; a tree also raises the sequence that the attempt stands at. */
function noted(task: TaskState, attempt: string, entry: Entry): TaskState {
  const current = task.attempt;
  const moved =
    current !== null && current.id === attempt
      ? { ...current, lastSequence: Math.max(current.lastSequence, entry.sequence) }
      : current;
  return { ...task, attempt: moved, handovers: [...task.handovers, { ...entry, attempt }] };
}

function withReport(
  task: TaskState,
  outcome: Extract<ComputationOutcome, { kind: 'report-read' }>,
): TaskState {
  const { report } = outcome;
  const withEntry = noted(task, outcome.attempt, {
    artifactId: outcome.artifactId,
    sequence: 0,
    result: 'report',
    tree: report.tree,
    refused: null,
  });
  if (withEntry.attempt?.id !== outcome.attempt) return withEntry;
  return {
    ...withEntry,
    attempt: {
      ...withEntry.attempt,
      report: { status: report.status, outcome: report.outcome },
      microUsd: report.usage.microUsd,
      tries: report.tries,
    },
    spent: {
      ...task.spent,
      microUsd: task.spent.microUsd + (report.usage.microUsd ?? 0),
      tries: task.spent.tries + report.tries,
    },
  };
}

/** The money of an attempt that is no longer the task's: added to its record and to what was spent, moving nothing else. */
function withLateReport(
  task: TaskState,
  { attempt, artifactId, microUsd, tries }: Extract<ComputationOutcome, { kind: 'late-report' }>,
): TaskState {
  const entry = { artifactId, sequence: 0, result: 'stale_generation', tree: null, refused: null } as const;
  return {
    ...noted(task, attempt, entry),
    records: task.records.map((one) => (one.attempt === attempt ? { ...one, microUsd, tries } : one)),
    spent: {
      ...task.spent,
      microUsd: task.spent.microUsd + (microUsd ?? 0),
      tries: task.spent.tries + tries,
    },
  };
}

/** Names a computation for logs: what it is about, without any text of people or agents. */
export function nameOf(computation: Computation): string {
  if ('issue' in computation) return `${computation.kind}.${computation.issue}`;
  return 'number' in computation ? `${computation.kind}.${computation.number}` : computation.kind;
}
