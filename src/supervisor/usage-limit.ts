import type { TaskState } from '../domain/state.ts';
import { because } from './draft.ts';

/** The longest limits that models have end within a week; a worker's word for more is not believed. */
const longestMs = 8 * 24 * 3600_000;

/**
 * Until when (milliseconds) the task waits for the end of the usage limit that its last attempt met; null when it met none
 * whose end is known and believable.
 */
export function usageLimitEnd(task: TaskState): number | null {
  const last = task.records.at(-1);
  if (last?.outcome?.reason !== 'usage-limit' || last.endedAt === null) return null;
  const end = Date.parse(last.outcome.resetsAt ?? '');
  const latest = Date.parse(last.endedAt) + longestMs;
  return Number.isNaN(end) || end > latest ? null : end;
}

/** Lets a task wait for the end of a usage limit. That is no failure of its own: the generation does not count. */
export function waitForLimit(task: TaskState): boolean {
  const end = usageLimitEnd(task);
  if (end === null || task.request === null) return false;
  task.spent.generations = Math.max(0, task.spent.generations - 1);
  if (task.candidate !== null) task.carry = { candidate: task.candidate.oid, base: task.candidate.base };
  task.phase = 'waiting';
  task.reason = because('usage-limit');
  return true;
}
