import type { Effect } from '../domain/command.ts';
import { artifactNames } from '../domain/contract.ts';
import type { DatabaseId } from '../domain/ids.ts';
import type { ObservedRun } from '../domain/snapshot.ts';
import type { FactsState } from '../domain/state.ts';
import { type Draft, instant, wakeAt } from './draft.ts';
import { intend, intentKeys, isHopeless } from './intend.ts';

export const guardWorkflow = '.github/workflows/ccd-guard.yml';
export const factsBranch = 'ccd/facts';

/** Title that the guard's workflow gives to its run. */
export function factsRunTitle(planDigest: string, attempt: number): string {
  return `ccd facts ${planDigest} ${attempt}`;
}

export type FactsStep =
  | { readonly kind: 'waits'; readonly facts: FactsState }
  | { readonly kind: 'delivered'; readonly facts: FactsState; readonly artifactId: DatabaseId }
  | { readonly kind: 'missing'; readonly facts: FactsState };

type Of = Extract<Effect, { kind: 'dispatch-facts' }>['of'];

/**
 * One step in the life of a facts job: dispatched at least once, bound to the lowest run that is really ours, read when that
 * run is over, given up after the policy's time.
 */
export function followFacts(draft: Draft, facts: FactsState, of: Of): FactsStep {
  if (facts.runId === null) return bindFacts(draft, facts, of);
  const run = draft.snapshot.runs.get(facts.runId);
  const artifacts = draft.snapshot.artifacts.get(facts.runId);
  if (run === undefined) return waitWithDeadline(draft, facts, null);
  if (artifacts === undefined) return { kind: 'waits', facts };
  const name = artifactNames.facts(facts.planDigest, facts.try);
  const artifact =
    run.attempt === 1 ? artifacts.find((entry) => entry.name === name && !entry.expired) : undefined;
  if (artifact !== undefined)
    return { kind: 'delivered', facts: { ...facts, state: 'read' }, artifactId: artifact.id };
  if (run.status === 'completed' || run.attempt > 1)
    return { kind: 'missing', facts: { ...facts, state: 'missing' } };
  return waitWithDeadline(draft, facts, run);
}

function bindFacts(draft: Draft, facts: FactsState, of: Of): FactsStep {
  const run = ownFactsRuns(draft, facts).find((candidate) => candidate.attempt === 1);
  if (run !== undefined) return { kind: 'waits', facts: { ...facts, runId: run.id, state: 'running' } };
  const key = intentKeys.facts(facts.planDigest, facts.try);
  if (isHopeless(draft, key)) return { kind: 'missing', facts: { ...facts, state: 'missing' } };
  const before = draft.effects.length;
  intend(draft, key, {
    kind: 'dispatch-facts',
    of,
    planDigest: facts.planDigest,
    try: facts.try,
  });
  const dispatched = draft.effects.length > before;
  return {
    kind: 'waits',
    facts: dispatched ? { ...facts, dispatchedAt: instant(draft.snapshot.now) } : facts,
  };
}

function ownFactsRuns(draft: Draft, facts: FactsState): ObservedRun[] {
  const head = draft.snapshot.refs.get(`refs/heads/${factsBranch}`);
  const title = factsRunTitle(facts.planDigest, facts.try);
  return (draft.snapshot.runsByTitle.get(title) ?? [])
    .filter(
      (run) =>
        run.event === 'workflow_dispatch' &&
        run.path.split('@')[0] === guardWorkflow &&
        run.branch === factsBranch &&
        run.head === head &&
        run.actorId === draft.snapshot.repository.botId,
    )
    .sort((left, right) => left.id - right.id);
}

/** Without a run: it cannot be read, for a moment or because it was deleted. */
function waitWithDeadline(draft: Draft, facts: FactsState, run: ObservedRun | null): FactsStep {
  const since = facts.dispatchedAt ?? run?.createdAt ?? instant(draft.snapshot.now);
  const deadline = Date.parse(since) + draft.policy.guard.timeout_minutes * 4 * 60_000;
  if (draft.snapshot.now < deadline) {
    wakeAt(draft, deadline);
    return { kind: 'waits', facts };
  }
  if (run !== null) draft.effects.push({ kind: 'cancel-run', runId: run.id, force: true });
  return { kind: 'missing', facts: { ...facts, state: 'missing' } };
}
