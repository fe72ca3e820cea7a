import type { ComputationOutcome } from '../domain/outcome.ts';
import type { State } from '../domain/state.ts';

const named: Partial<Record<ComputationOutcome['kind'], string>> = {
  'handover-accepted': 'publish',
  'handover-refused': 'publish',
  'build-composed': 'build',
  landed: 'landing',
};

/** What the one push of a pass does, in words: the points around it at which a test may end the process. */
export function pushPoints(before: State, after: State, outcomes: readonly ComputationOutcome[]): string[] {
  const points = new Set<string>();
  for (const outcome of outcomes) {
    const name = named[outcome.kind];
    if (name !== undefined) points.add(name);
  }
  for (const [issue, task] of after.tasks) {
    const standing = before.tasks.get(issue)?.attempt ?? null;
    if (task.attempt === null) continue;
    if (standing?.id !== task.attempt.id) points.add('claim');
    else if (standing.runId === null && task.attempt.runId !== null) points.add('bind');
  }
  // Last, so that a point that has a name of its own is met before the one that every push has.
  return [...points, 'state-push'];
}
