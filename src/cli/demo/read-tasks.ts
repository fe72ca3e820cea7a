import { type BuildRecord, buildRecordSchema, type TaskState, taskStateSchema } from '../../domain/state.ts';
import { openObjects } from '../../git/objects.ts';
import { stateRef } from '../../git/refs.ts';
import { gitText } from '../../git/run-git.ts';
import { readStateFolder } from '../../git/state-branch.ts';

export interface ReadTasks {
  readonly tasks: ReadonlyMap<number, TaskState>;
  readonly builds: readonly BuildRecord[];
}

/** Every task and ended build that the state branch of a repository holds. Reads git alone. */
export async function readTasks(gitDir: string): Promise<ReadTasks> {
  const objects = openObjects(gitDir);
  try {
    const head = (
      await gitText({ gitDir, args: ['for-each-ref', '--format=%(objectname)', stateRef] })
    ).trim();
    if (head === '') return { tasks: new Map(), builds: [] };
    const tasks = await readStateFolder(objects, head, 'tasks', taskStateSchema);
    const builds = await readStateFolder(objects, head, 'builds', buildRecordSchema);
    return {
      tasks: new Map(
        tasks.kind === 'read' ? [...tasks.values.values()].map((task) => [task.issue, task]) : [],
      ),
      builds: builds.kind === 'read' ? [...builds.values.values()] : [],
    };
  } finally {
    await objects.close();
  }
}
