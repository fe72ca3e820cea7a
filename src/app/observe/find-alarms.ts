import { parseAttemptId } from '../../domain/attempt.ts';
import type { Oid } from '../../domain/ids.ts';
import type { Alarm, TrunkCommit } from '../../domain/snapshot.ts';
import { buildRecordSchema, type State, statePaths, taskStateSchema } from '../../domain/state.ts';
import { isAncestor } from '../../git/history.ts';
import { readStateFile } from '../../git/state-branch.ts';
import { isNotFound } from '../../github/api-failure.ts';
import { findRunsByTitle } from '../../github/observe/runs.ts';
import { runBranch, workerWorkflow } from '../../supervisor/attempts.ts';
import { parseBuildMessage } from '../../text/build-message.ts';
import type { RepositoryContext } from '../context.ts';

interface Seen {
  readonly repositoryId: number;
  readonly botId: number;
  readonly stateHead: Oid;
  readonly trunk: Oid;
  readonly chain: readonly TrunkCommit[];
}

/**
 * Looks for what must not be: a state that goes backwards or belongs to another repository, a trunk that lost commits.
 * The landing trailers name the state commit that recorded them, so a rolled-back state shows even after a restart.
 */
export async function findAlarms(context: RepositoryContext, seen: Seen, state: State): Promise<Alarm[]> {
  const { memory } = context;
  const alarms: Alarm[] = [];
  if (state.repository.repositoryId !== seen.repositoryId) {
    alarms.push({
      code: 'wrong-repository',
      detail: `The state belongs to repository ${state.repository.repositoryId}.`,
    });
  }
  if (!(await descends(context, memory.stateHead, seen.stateHead))) {
    alarms.push({ code: 'state-rolled-back', detail: `ccd/state no longer holds ${memory.stateHead}.` });
  }
  if (!(await descends(context, memory.trunk, seen.trunk))) {
    alarms.push({ code: 'trunk-moved-back', detail: `Trunk no longer holds ${memory.trunk}.` });
  }
  const { lastLanded } = state.repository;
  if (lastLanded !== null && !(await descends(context, lastLanded, seen.trunk))) {
    alarms.push({
      code: 'trunk-moved-back',
      detail: `Trunk no longer holds ${lastLanded}, which landed last.`,
    });
  }
  const lost = (await missingWitness(context, seen)) ?? (await unknownRun(context, seen, state));
  if (lost !== null) alarms.push(lost);
  // What was seen in an alarm counts as seen once the alarm stands in the state: see recordAlarm.
  if (alarms.length === 0) remember(context, seen.stateHead, seen.trunk);
  return alarms;
}

export function remember({ memory }: RepositoryContext, stateHead: Oid, trunk: Oid): void {
  memory.stateHead = stateHead;
  memory.trunk = trunk;
  memory.runsSeen = true;
}

/** A build on trunk that the state does not hold, or not as landed: the state went back to before it. */
async function missingWitness(
  { memory, clone }: RepositoryContext,
  seen: Pick<Seen, 'stateHead' | 'chain'>,
): Promise<Alarm | null> {
  const [build] = seen.chain.flatMap((commit) => parseBuildMessage(commit.message) ?? []);
  // A witness that was found once stays found as long as the state only grows, which is checked apart.
  if (build === undefined || build.state === memory.witness) return null;
  if (!(await isAncestor(clone, build.state, seen.stateHead))) {
    const detail = `A landed build names state ${build.state}, which ccd/state does not hold.`;
    return { code: 'state-rolled-back', detail };
  }
  const path = statePaths.build(build.build, build.try);
  const record = await readStateFile(clone.objects, seen.stateHead, path, buildRecordSchema);
  if (record.kind !== 'read' || record.value.outcome !== 'landed') {
    const detail = `Trunk holds build ${build.build}, of whose landing ccd/state knows nothing.`;
    return { code: 'state-rolled-back', detail };
  }
  memory.witness = build.state;
  return null;
}

/** Runs of the worker older than this are of no use to anybody who went back. */
const runsMs = 24 * 60 * 60_000;

/**
 * A run of the worker that the app started for a generation which the state never claimed: the state went back to before the claim.
 * Looked for once in the life of a process; from then on the state itself is watched.
 */
async function unknownRun(context: RepositoryContext, seen: Seen, state: State): Promise<Alarm | null> {
  const { client, name, clock, clone, memory } = context;
  if (memory.runsSeen) return null;
  // Without the workflow on trunk there are no runs, and nothing is started either.
  const runs = await findRunsByTitle(client, name, {
    workflow: workerWorkflow.split('/').at(-1)!,
    branch: runBranch,
    createdSince: new Date(clock.now() - runsMs).toISOString(),
    titleHolds: 'ccd attempt ',
  }).catch((error: unknown) => {
    if (isNotFound(error)) return [];
    throw error;
  });
  for (const run of runs.filter(({ actorId }) => actorId === seen.botId)) {
    const attempt = parseAttemptId(run.title.split(' ')[2] ?? '');
    if (attempt === null) continue;
    const path = statePaths.task(attempt.issue);
    const known = state.tasks.get(attempt.issue);
    const read = known ?? (await readStateFile(clone.objects, seen.stateHead, path, taskStateSchema));
    const task = 'kind' in read ? (read.kind === 'read' ? read.value : null) : read;
    if (task !== null && task.generation >= attempt.generation) continue;
    return {
      code: 'unknown-run',
      detail: `Run ${run.id} works on attempt ${attempt.issue}.${attempt.generation}, of which ccd/state knows nothing.`,
    };
  }
  return null;
}

/** True when nothing was seen before, or what was seen is still in the history. */
async function descends(context: RepositoryContext, before: Oid | null, now: Oid): Promise<boolean> {
  return before === null || before === now || isAncestor(context.clone, before, now);
}
