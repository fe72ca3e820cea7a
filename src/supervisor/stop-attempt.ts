import type { TaskState } from '../domain/state.ts';
import { type Draft, instant } from './draft.ts';

/**
 * Marks the task's attempt as one that must stop and moves it to the records. Its run is cancelled by the planner of runs
 * for as long as it is seen alive.
 */
export function stopAttempt(draft: Draft, task: TaskState, code: string): void {
  const attempt = task.attempt;
  if (attempt === null) return;
  attempt.stop ??= code;
  recordAttempt(draft, task);
}

/** Writes the attempt's record for the ledger and makes it the past. */
export function recordAttempt(draft: Draft, task: TaskState): void {
  const attempt = task.attempt;
  if (attempt === null) return;
  if (!task.records.some((record) => record.attempt === attempt.id)) {
    task.records.push({
      attempt: attempt.id,
      runId: attempt.runId,
      startedAt: attempt.boundAt,
      endedAt: instant(draft.snapshot.now),
      outcome: attempt.report?.outcome ?? null,
      verdict: task.verdict?.verdict ?? null,
      microUsd: attempt.microUsd,
      tries: attempt.tries,
    });
  }
}
