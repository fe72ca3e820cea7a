import { artifactNames } from '../domain/contract.ts';
import type { ObservedArtifact, ObservedRun } from '../domain/snapshot.ts';
import type { AttemptState, TaskState } from '../domain/state.ts';
import { because, type Draft, instant, tasksInOrder, wakeAt } from './draft.ts';
import { intend, intentKeys, isHopeless } from './intend.ts';
import { regenerate } from './regenerate.ts';
import { recordAttempt, stopAttempt } from './stop-attempt.ts';
import { waitForLimit } from './usage-limit.ts';

export const workerWorkflow = '.github/workflows/ccd-worker.yml';
export const runBranch = 'ccd/run';

const politeCancels = 3;
/** Well under what the state's schema takes: a run with countless artifacts must not make the state unreadable. */
const keptHandovers = 900;
/** Time past its wall clock after which a run that GitHub no longer knows is taken for lost, and one that still works is cancelled. */
const goneMs = 30 * 60_000;
/** Time in the queue of GitHub after which people are told that no runner takes the run. */
const runnerMs = 2 * 60_000;

/** Title that the worker's workflow gives to its run: the only link from a run back to an attempt when the answer to the dispatch was lost. */
export function workerRunTitle(attempt: string, contractDigest: string): string {
  return `ccd attempt ${attempt} ${contractDigest}`;
}

/** Starts, binds, follows and ends the one run of each claimed attempt. */
export function attempts(draft: Draft): void {
  for (const task of tasksInOrder(draft)) {
    const attempt = task.attempt;
    if (attempt === null) continue;
    if (task.phase === 'running' && attempt.runId === null) bindOrDispatch(draft, task, attempt);
    if (attempt.runId !== null && !attempt.ended) follow(draft, task, attempt);
    cancelOthers(draft, attempt);
  }
  collectLate(draft);
}

/** Runs that really are this attempt's: dispatched by the app on the app-only branch, from the shipped workflow, first attempt. */
function ownRuns(draft: Draft, attempt: AttemptState): ObservedRun[] {
  const head = draft.snapshot.refs.get(`refs/heads/${runBranch}`);
  const title = workerRunTitle(attempt.id, attempt.contractDigest);
  return (draft.snapshot.runsByTitle.get(attempt.id) ?? [])
    .filter(
      (run) =>
        run.event === 'workflow_dispatch' &&
        run.path.split('@')[0] === workerWorkflow &&
        run.branch === runBranch &&
        run.head === head &&
        run.actorId === draft.snapshot.repository.botId &&
        run.title === title,
    )
    .sort((left, right) => left.id - right.id);
}

function bindOrDispatch(draft: Draft, task: TaskState, attempt: AttemptState): void {
  const first = ownRuns(draft, attempt).find((run) => run.attempt === 1);
  if (first !== undefined) {
    attempt.runId = first.id;
    attempt.boundAt = instant(draft.snapshot.now);
    return;
  }
  if (draft.repository.pause !== null || draft.repository.frozen) return;
  const key = intentKeys.worker(attempt.id);
  if (isHopeless(draft, key)) {
    stopAttempt(draft, task, 'worker-not-started');
    task.phase = 'held';
    task.reason = because('worker-not-started');
    return;
  }
  const before = draft.effects.length;
  intend(draft, key, {
    kind: 'dispatch-worker',
    issue: task.issue,
    attempt: attempt.id,
    contractDigest: attempt.contractDigest,
  });
  if (draft.effects.length > before) {
    attempt.dispatches += 1;
    attempt.dispatchedAt = instant(draft.snapshot.now);
  }
}

/** A run beside the bound one is a waste: it stops itself, and is cancelled. A stopped attempt's own run is cancelled too. */
function cancelOthers(draft: Draft, attempt: AttemptState): void {
  for (const run of draft.snapshot.runsByTitle.get(attempt.id) ?? []) {
    const mine = run.id === attempt.runId && attempt.stop === null;
    const decided = attempt.runId !== null || attempt.stop !== null;
    if (!mine && decided && run.status !== 'completed') cancel(draft, run);
  }
  const own = attempt.runId === null ? undefined : draft.snapshot.runs.get(attempt.runId);
  const unwanted = attempt.stop !== null || (own?.attempt ?? 1) > 1;
  if (own !== undefined && own.status !== 'completed' && unwanted) cancel(draft, own);
}

/** Asked politely at first, with growing patience, as a run takes its time to end; then by force. */
function cancel(draft: Draft, run: ObservedRun): void {
  const key = intentKeys.cancel(run.id);
  if (draft.wanted.has(key)) return;
  const force = (draft.repository.intents[key]?.tries ?? 0) >= politeCancels;
  intend(draft, key, { kind: 'cancel-run', runId: run.id, force });
}

function follow(draft: Draft, task: TaskState, attempt: AttemptState): void {
  const run = draft.snapshot.runs.get(attempt.runId!);
  const artifacts = draft.snapshot.artifacts.get(attempt.runId!);
  if (run === undefined) return followGone(draft, task, attempt);
  if (artifacts === undefined) return;
  const next = attempt.stop === null ? nextArtifact(task, attempt, artifacts) : null;
  if (next !== null && run.attempt === 1) {
    draft.computations.push(next);
    return;
  }
  if (run.status !== 'completed' && run.attempt === 1) return watch(draft, task, attempt, run);
  attempt.ended = true;
  conclude(draft, task, attempt);
}

/** A run that is not over: people see when no runner takes it, and one that outlives its wall clock is cancelled. */
function watch(draft: Draft, task: TaskState, attempt: AttemptState, run: ObservedRun): void {
  const { now } = draft.snapshot;
  if (run.status === 'in_progress') attempt.workingSince ??= instant(now);
  if (attempt.stop !== null || task.phase !== 'running') return;
  if (attempt.workingSince === null) {
    const tellAt = Date.parse(attempt.boundAt ?? attempt.claimedAt) + runnerMs;
    if (now < tellAt) return wakeAt(draft, tellAt);
    task.reason = because('waits-for-runner', run.id);
    return;
  }
  task.reason = null;
  const deadline = Date.parse(attempt.workingSince) + attempt.contract.limits.wallClockMs + goneMs;
  if (now < deadline) return wakeAt(draft, deadline);
  cancel(draft, run);
}

/** A run that cannot be read may be a hiccup or was deleted: it gets the time that it could have needed. */
function followGone(draft: Draft, task: TaskState, attempt: AttemptState): void {
  const deadline =
    Date.parse(attempt.boundAt ?? attempt.claimedAt) + attempt.contract.limits.wallClockMs + goneMs;
  if (draft.snapshot.now < deadline) return wakeAt(draft, deadline);
  attempt.ended = true;
  conclude(draft, task, attempt);
}

/** Trees in order of their sequence first, then the report: what a report speaks of is then known. */
function nextArtifact(task: TaskState, attempt: AttemptState, artifacts: readonly ObservedArtifact[]) {
  const isRead = (id: number) => task.handovers.some((entry) => entry.artifactId === id);
  const named = new Map(
    artifacts.filter((artifact) => !artifact.expired).map((artifact) => [artifact.name, artifact]),
  );
  const tree = named.get(artifactNames.handover(attempt.id, attempt.lastSequence + 1));
  if (tree !== undefined && !isRead(tree.id)) {
    return {
      kind: 'import-handover',
      issue: task.issue,
      attempt: attempt.id,
      artifactId: tree.id,
      sequence: attempt.lastSequence + 1,
    } as const;
  }
  const report = named.get(artifactNames.report(attempt.id));
  if (report !== undefined && !isRead(report.id)) {
    return { kind: 'read-report', issue: task.issue, attempt: attempt.id, artifactId: report.id } as const;
  }
  return null;
}

/** The run is over and all of it was read: the task moves on by what was handed in. */
function conclude(draft: Draft, task: TaskState, attempt: AttemptState): void {
  recordAttempt(draft, task);
  if (task.phase !== 'running') return;
  const report = attempt.report;
  if (attempt.stop !== null) return;
  if (report === null) return regenerate(draft, task, because('runner-lost', attempt.runId));
  if (report.status === 'ready') return concludeReady(draft, task, attempt);
  const { class: outcome, reason } = report.outcome;
  if (waitForLimit(task)) return;
  if (outcome === 'transient') return regenerate(draft, task, because(reason, attempt.runId));
  task.phase = 'halted';
  task.reason = because(`agent-${outcome}.${reason}`.slice(0, 80), attempt.runId);
}

function concludeReady(draft: Draft, task: TaskState, attempt: AttemptState): void {
  if (task.refused !== null) return regenerate(draft, task, because('tree-refused'));
  if (task.candidate === null || task.candidate.attempt !== attempt.id) {
    return regenerate(draft, task, because('no-change'));
  }
  if (lastTree(task, attempt) !== task.candidate.tree) {
    return regenerate(draft, task, because('last-tree-not-taken', attempt.runId));
  }
  task.phase = 'guarding';
  task.reason = null;
}

/** The tree that was handed over last; null when it could not be read. An earlier one is not what the worker reported on. */
function lastTree(task: TaskState, attempt: AttemptState): string | null {
  const trees = task.handovers.filter((entry) => entry.attempt === attempt.id && entry.sequence > 0);
  return trees.reduce((last, entry) => (entry.sequence > last.sequence ? entry : last), {
    sequence: 0,
    tree: task.candidate?.tree ?? null,
  }).tree;
}

/** What an old generation hands in is kept as evidence and moves nothing. */
function collectLate(draft: Draft): void {
  for (const task of tasksInOrder(draft)) {
    for (const record of task.records) {
      if (record.attempt === task.attempt?.id && task.attempt.stop === null) continue;
      for (const artifact of record.runId === null
        ? []
        : (draft.snapshot.artifacts.get(record.runId) ?? [])) {
        noteStale(draft, task, record.attempt, artifact);
      }
    }
  }
}

function noteStale(draft: Draft, task: TaskState, attempt: string, artifact: ObservedArtifact): void {
  if (task.handovers.length >= keptHandovers) return;
  if (task.handovers.some((entry) => entry.artifactId === artifact.id)) return;
  const sequence = /^ccd-tree-.+-(\d+)$/.exec(artifact.name)?.[1];
  if (sequence === undefined && artifact.name !== artifactNames.report(attempt)) return;
  if (
    sequence === undefined &&
    !artifact.expired &&
    !task.records.some((one) => one.attempt === attempt && one.microUsd !== null)
  ) {
    draft.computations.push({ kind: 'read-report', issue: task.issue, attempt, artifactId: artifact.id });
    return;
  }
  task.handovers.push({
    attempt,
    artifactId: artifact.id,
    sequence: sequence === undefined ? 0 : Math.min(Number(sequence), 1_000_000),
    result: 'stale_generation',
    tree: null,
    refused: null,
  });
}
