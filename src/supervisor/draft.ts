import type { Computation, Effect } from '../domain/command.ts';
import type { ObservedIssue, Snapshot } from '../domain/snapshot.ts';
import type { BuildRecord, QueueState, Reason, RepositoryState, State, TaskState } from '../domain/state.ts';
import type { Policy } from '../policy/policy.ts';
import type { ParsedSpec } from '../spec/parse-spec.ts';

/**
 * The working copy of one decision. Planners change it and add commands; nobody outside a decision ever sees it.
 */
export interface Draft {
  readonly snapshot: Snapshot;
  readonly policy: Policy;
  readonly readSpec: (issue: ObservedIssue) => ParsedSpec;
  repository: RepositoryState;
  queue: QueueState;
  readonly tasks: Map<number, TaskState>;
  readonly builds: Map<string, BuildRecord>;
  readonly computations: Computation[];
  readonly effects: Effect[];
  /** Keys of intents that are still wanted in this pass: the others are done or void and are dropped. */
  readonly wanted: Set<string>;
  wakeAt: number | null;
}

/** A draft over a deep copy of the snapshot's state. */
export function openDraft(snapshot: Snapshot, policy: Policy, readSpec: Draft['readSpec']): Draft {
  const state = structuredClone(snapshot.state);
  return {
    snapshot,
    policy,
    readSpec,
    repository: state.repository,
    queue: state.queue,
    tasks: new Map(state.tasks),
    builds: new Map(state.builds),
    computations: [],
    effects: [],
    wanted: new Set(),
    wakeAt: null,
  };
}

export function closeDraft(draft: Draft): State {
  return { repository: draft.repository, queue: draft.queue, tasks: draft.tasks, builds: draft.builds };
}

/** Tasks in order of issue number, so that equal snapshots give equal decisions. */
export function tasksInOrder(draft: Draft): TaskState[] {
  return [...draft.tasks.values()].sort((left, right) => left.issue - right.issue);
}

/** Asks for another pass at an instant, at the earliest of all that were asked for. */
export function wakeAt(draft: Draft, at: number): void {
  draft.wakeAt = draft.wakeAt === null ? at : Math.min(draft.wakeAt, at);
}

export function because(code: string, of: number | null = null): Reason {
  return { code, of };
}

export function instant(ms: number): string {
  return new Date(ms).toISOString();
}
