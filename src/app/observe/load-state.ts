import { z } from 'zod';
import type { Oid } from '../../domain/ids.ts';
import type { Alarm } from '../../domain/snapshot.ts';
import {
  queueStateSchema,
  repositoryStateSchema,
  type State,
  statePaths,
  type TaskState,
  taskStateSchema,
} from '../../domain/state.ts';
import type { ObjectReader } from '../../git/objects.ts';
import { readStateFile, readStateFolder } from '../../git/state-branch.ts';

export type LoadedState =
  | { readonly kind: 'loaded'; readonly state: State; readonly active: readonly number[] }
  | { readonly kind: 'alarm'; readonly alarm: Alarm };

/** Reads what the loop needs of the state branch: repository, queue, and the tasks of the active index. */
export async function loadState(objects: ObjectReader, head: Oid | null): Promise<LoadedState> {
  const repository = await readStateFile(objects, head, statePaths.repository, repositoryStateSchema);
  const queue = await readStateFile(objects, head, statePaths.queue, queueStateSchema);
  const index = await readStateFolder(objects, head, 'active', z.strictObject({}));
  if (repository.kind === 'missing') return alarm('state-missing', 'The branch ccd/state is not there.');
  if (repository.kind !== 'read')
    return alarm('state-unreadable', describe(statePaths.repository, repository));
  if (queue.kind !== 'read') return alarm('state-unreadable', describe(statePaths.queue, queue));
  if (index.kind !== 'read') return alarm('state-unreadable', describe('active', index));
  const active = [...index.values.keys()]
    .map((path) => Number(/(\d+)\.json$/.exec(path)?.[1]))
    .sort((a, b) => a - b);
  const tasks = new Map<number, TaskState>();
  for (const issue of active) {
    const task = await readStateFile(objects, head, statePaths.task(issue), taskStateSchema);
    if (task.kind !== 'read') return alarm('state-unreadable', describe(statePaths.task(issue), task));
    tasks.set(issue, task.value);
  }
  return {
    kind: 'loaded',
    active,
    state: { repository: repository.value, queue: queue.value, tasks, builds: new Map() },
  };
}

/** Adds the tasks of further issues where the state knows them: dependencies, and settled tasks that were labelled again. */
export async function loadTasks(
  objects: ObjectReader,
  head: Oid,
  state: State,
  issues: readonly number[],
): Promise<LoadedState> {
  const tasks = new Map(state.tasks);
  for (const issue of issues) {
    if (tasks.has(issue)) continue;
    const task = await readStateFile(objects, head, statePaths.task(issue), taskStateSchema);
    if (task.kind === 'read') tasks.set(issue, task.value);
    else if (task.kind !== 'absent') return alarm('state-unreadable', describe(statePaths.task(issue), task));
  }
  return { kind: 'loaded', state: { ...state, tasks }, active: [] };
}

type Unread = {
  readonly kind: string;
  readonly problems?: readonly { readonly path: string; readonly problem: string }[];
};

function describe(path: string, unread: Unread): string {
  const problems = (unread.problems ?? []).map(({ path: at, problem }) => `${at}: ${problem}`);
  return problems.length > 0 ? problems.join('; ').slice(0, 1000) : `${path} is ${unread.kind}.`;
}

function alarm(code: Alarm['code'], detail: string): LoadedState {
  return { kind: 'alarm', alarm: { code, detail } };
}
