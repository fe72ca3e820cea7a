import type { Oid } from '../domain/ids.ts';
import { statePaths, type TaskState, taskStateSchema } from '../domain/state.ts';
import type { Clone } from '../git/bare-clone.ts';
import { netChange } from '../git/net-change.ts';
import { stateRef } from '../git/refs.ts';
import { readStateFile } from '../git/state-branch.ts';
import { fetchShallow } from './fetch-shallow.ts';
import type { ChangedFile } from './work-tree/tree-changes.ts';

export interface Overlap {
  readonly issue: number;
  readonly path: string;
}

/** More active tasks than this are not compared: the look stays short, and says that it was none. */
const mostOthers = 100;

/**
 * Paths that the candidate of another active task changes, too. Null when that cannot be told: too many tasks are active, or the
 * state branch went away. Throws GitFault when the remote cannot be read.
 */
export async function findOverlaps(
  clone: Clone,
  issue: number,
  changed: readonly ChangedFile[],
): Promise<Overlap[] | null> {
  if (changed.length === 0) return [];
  const state = (await clone.lsRemote([stateRef])).get(stateRef);
  if (state === undefined || !(await fetchShallow(clone, [state]))) return null;
  const others = (await activeIssues(clone, state)).filter((other) => other !== issue);
  if (others.length > mostOthers) return null;
  const ours = new Set(changed.map(({ path }) => path));
  const overlaps: Overlap[] = [];
  for (const other of others) {
    const paths = await changedBy(clone, state, other);
    overlaps.push(...paths.filter((path) => ours.has(path)).map((path) => ({ issue: other, path })));
  }
  return overlaps;
}

async function activeIssues(clone: Clone, state: Oid): Promise<number[]> {
  const { objects } = clone;
  const active = (await objects.readTreeLevel(state)).find(({ name }) => name === 'active');
  if (active?.kind !== 'tree') return [];
  return (await objects.readTreeLevel(active.oid))
    .map(({ name }) => Number(/^(\d+)\.json$/.exec(name)?.[1]))
    .filter((number) => Number.isSafeInteger(number) && number > 0)
    .sort((left, right) => left - right);
}

/** A candidate that was deleted meanwhile changes nothing any more. */
async function changedBy(clone: Clone, state: Oid, issue: number): Promise<string[]> {
  const file = await readStateFile(clone.objects, state, statePaths.task(issue), taskStateSchema);
  const candidate: TaskState['candidate'] = file.kind === 'read' ? file.value.candidate : null;
  if (candidate === null) return [];
  if (!(await fetchShallow(clone, [candidate.oid, candidate.base]))) return [];
  return (await netChange(clone, candidate.base, candidate.oid)).map(({ path }) => path);
}
