import { artifactNames } from '../../domain/contract.ts';
import type { DatabaseId } from '../../domain/ids.ts';
import type { ObservedArtifact, ObservedRun } from '../../domain/snapshot.ts';
import type { AttemptState, FactsState, State } from '../../domain/state.ts';
import { observeArtifacts } from '../../github/observe/artifacts.ts';
import { findRunsByTitle, observeRun } from '../../github/observe/runs.ts';
import { runBranch, workerWorkflow } from '../../supervisor/attempts.ts';
import { factsBranch, factsRunTitle, guardWorkflow } from '../../supervisor/facts-job.ts';
import type { RepositoryContext } from '../context.ts';

export interface SeenRuns {
  readonly runs: Map<DatabaseId, ObservedRun>;
  readonly runsByTitle: Map<string, ObservedRun[]>;
  readonly artifacts: Map<DatabaseId, ObservedArtifact[]>;
}

/** How many earlier attempts of an active task are still watched for what they hand in late. */
const watchedRecords = 2;
/** Clocks of two machines differ: the search for a run begins a little before its dispatch. */
const clockSlackMs = 120_000;

/** Reads the runs and artifacts that the active tasks and the build in flight wait for. */
export async function observeRuns(context: RepositoryContext, state: State): Promise<SeenRuns> {
  const seen: SeenRuns = { runs: new Map(), runsByTitle: new Map(), artifacts: new Map() };
  const jobs: Promise<void>[] = [];
  for (const task of state.tasks.values()) {
    if (task.settled) continue;
    if (task.attempt !== null) jobs.push(observeAttempt(context, task.attempt, seen));
    if (task.facts !== null && task.phase === 'guarding') jobs.push(observeFacts(context, task.facts, seen));
    for (const record of task.records.slice(-watchedRecords)) {
      if (record.runId !== null && record.attempt !== task.attempt?.id)
        jobs.push(listArtifacts(context, record.runId, seen));
    }
  }
  const facts = state.queue.build?.facts ?? null;
  if (facts !== null) jobs.push(observeFacts(context, facts, seen));
  await Promise.all(jobs);
  return seen;
}

async function observeAttempt(
  context: RepositoryContext,
  attempt: AttemptState,
  seen: SeenRuns,
): Promise<void> {
  const { client, name } = context;
  const searched =
    attempt.dispatches > 0 && !attempt.ended && (attempt.runId === null || attempt.dispatches > 1);
  if (searched) {
    const runs = await findRunsByTitle(client, name, {
      workflow: workerWorkflow.split('/').at(-1)!,
      branch: runBranch,
      createdSince: slack(attempt.claimedAt),
      titleHolds: ` ${attempt.id} `,
    });
    seen.runsByTitle.set(attempt.id, runs);
  }
  if (attempt.runId === null || attempt.ended) return;
  await Promise.all([readRun(context, attempt.runId, seen), listArtifacts(context, attempt.runId, seen)]);
}

async function observeFacts(context: RepositoryContext, facts: FactsState, seen: SeenRuns): Promise<void> {
  if (facts.runId !== null) {
    await Promise.all([readRun(context, facts.runId, seen), listArtifacts(context, facts.runId, seen)]);
    return;
  }
  if (facts.dispatchedAt === null) return;
  const title = factsRunTitle(facts.planDigest, facts.try);
  const runs = await findRunsByTitle(context.client, context.name, {
    workflow: guardWorkflow.split('/').at(-1)!,
    branch: factsBranch,
    createdSince: slack(facts.dispatchedAt),
    titleHolds: facts.planDigest,
  });
  seen.runsByTitle.set(
    title,
    runs.filter((run) => run.title === title),
  );
}

async function readRun(context: RepositoryContext, id: DatabaseId, seen: SeenRuns): Promise<void> {
  const run = await observeRun(context.client, context.name, id);
  if (run !== null) seen.runs.set(id, run);
}

async function listArtifacts(context: RepositoryContext, runId: DatabaseId, seen: SeenRuns): Promise<void> {
  const found = await observeArtifacts(context.client, context.name, runId);
  seen.artifacts.set(
    runId,
    found.filter((artifact) => artifact.name.startsWith(artifactNames.prefix)),
  );
}

function slack(at: string): string {
  return new Date(Date.parse(at) - clockSlackMs).toISOString();
}
