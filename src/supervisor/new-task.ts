import type { ObservedIssue } from '../domain/snapshot.ts';
import type { TaskState } from '../domain/state.ts';

/** A task as it enters the state: seen, nothing started. */
export function newTask(issue: ObservedIssue): TaskState {
  return {
    version: 1,
    issue: issue.number,
    issueId: issue.id,
    phase: 'waiting',
    reason: null,
    request: null,
    consumedEvents: [],
    labelledBy: [],
    bodyDigest: null,
    specDigest: null,
    dependsOn: [],
    generation: 0,
    attempt: null,
    candidate: null,
    verdict: null,
    facts: null,
    handovers: [],
    refusedTrees: 0,
    carry: null,
    refused: null,
    pull: null,
    statusComment: null,
    guardCheck: null,
    landed: null,
    spent: { microUsd: 0, tries: 0, generations: 0, queueEntries: 0 },
    records: [],
    settled: false,
  };
}
