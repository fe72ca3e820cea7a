import type { TaskState } from '../../domain/state.ts';

/** Attempts of a task whose runner ended without a report. */
export function lostRunners(task: TaskState): string[] {
  return task.records
    .filter(({ endedAt, outcome }) => endedAt !== null && outcome === null)
    .map(({ attempt }) => attempt);
}
