import type { Oid } from '../../domain/ids.ts';
import type { Alarm, TrunkCommit } from '../../domain/snapshot.ts';
import type { State } from '../../domain/state.ts';
import { isAncestor } from '../../git/history.ts';
import { parseBuildMessage } from '../../text/build-message.ts';
import type { RepositoryContext } from '../context.ts';

/**
 * Looks for what must not be: a state that goes backwards or belongs to another repository, a trunk that lost commits.
 * The landing trailers name the state commit that recorded them, so a rolled-back state shows even after a restart.
 */
export async function findAlarms(
  context: RepositoryContext,
  seen: {
    readonly repositoryId: number;
    readonly stateHead: Oid;
    readonly trunk: Oid;
    readonly chain: readonly TrunkCommit[];
  },
  state: State,
): Promise<Alarm[]> {
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
  const witness = await missingWitness(context, seen.stateHead, seen.chain);
  if (witness !== null) {
    alarms.push({
      code: 'state-rolled-back',
      detail: `A landed build names state ${witness}, which ccd/state does not hold.`,
    });
  }
  memory.stateHead = seen.stateHead;
  memory.trunk = seen.trunk;
  return alarms;
}

/** The state commit that the newest build on trunk names, when the state branch does not hold it. */
async function missingWitness(
  context: RepositoryContext,
  stateHead: Oid,
  chain: readonly TrunkCommit[],
): Promise<Oid | null> {
  const { memory, clone } = context;
  const [state] = chain.flatMap((commit) => parseBuildMessage(commit.message)?.state ?? []);
  // A witness that was found once stays found as long as the state only grows, which is checked apart.
  if (state === undefined || state === memory.witness) return null;
  if (!(await isAncestor(clone, state, stateHead))) return state;
  memory.witness = state;
  return null;
}

/** True when nothing was seen before, or what was seen is still in the history. */
async function descends(context: RepositoryContext, before: Oid | null, now: Oid): Promise<boolean> {
  return before === null || before === now || isAncestor(context.clone, before, now);
}
