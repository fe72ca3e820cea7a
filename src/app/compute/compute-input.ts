import { CcdError } from '../../domain/errors.ts';
import type { ObservedIssue, Snapshot } from '../../domain/snapshot.ts';
import type { TaskSpec } from '../../domain/spec.ts';
import type { State, TaskState } from '../../domain/state.ts';
import type { Policy } from '../../policy/policy.ts';
import type { ParsedSpec } from '../../spec/parse-spec.ts';
import type { RepositoryContext } from '../context.ts';

/** What a computation or an effect works on: the decided state, and the snapshot it was decided from. */
export interface ComputeInput {
  readonly context: RepositoryContext;
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly policy: Policy;
  readonly readSpec: (issue: ObservedIssue) => ParsedSpec;
}

/** The task a decision named. A decision that names one the state lacks is a bug. */
export function taskOf(input: ComputeInput, issue: number): TaskState {
  const task = input.state.tasks.get(issue);
  if (task === undefined) throw missing(`task ${issue}`);
  return task;
}

export function specOf(input: ComputeInput, issue: number): TaskSpec {
  const observed = input.snapshot.issues.get(issue);
  const read = observed === undefined ? null : input.readSpec(observed);
  if (read?.kind !== 'valid') throw missing(`a valid spec of ${issue}`);
  return read.spec;
}

export function missing(what: string): CcdError {
  return new CcdError({
    code: 'bug.decision',
    message: `The decision needs ${what}, which the snapshot lacks.`,
    remedy: 'Report this with the log of the run.',
    audience: 'bug',
  });
}
