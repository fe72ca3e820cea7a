import type { Computation } from '../domain/command.ts';
import { CcdError } from '../domain/errors.ts';
import type { ComputationOutcome, EffectOutcome } from '../domain/outcome.ts';
import { decide } from '../supervisor/decide.ts';
import { instant } from '../supervisor/draft.ts';
import { nameOf, record } from '../supervisor/record.ts';
import { type ComputeInput, compute } from './compute/compute.ts';
import type { RepositoryContext } from './context.ts';
import { applyEffect } from './effects/apply-effect.ts';
import { observe } from './observe/observe.ts';
import type { PassResult } from './pass-result.ts';
import { pushPoints } from './push-points.ts';
import { pushState } from './push-state.ts';
import { recordAlarm } from './record-alarm.ts';

/** Rest after a pass in which GitHub took none of the writes. */
const refusedRestMs = 15_000;

/** A slow machine or GitHub is no standing still, however short the takeover is. */
const shortestEffectsMs = 10_000;

/** Age of the reads before a landing beyond which they are made again: what people did meanwhile is not in them. */
const landingAgeMs = 120_000;

/**
 * One pass: observe, decide, compute, one push, effects. Everything that is exact moves in the one push; the effects after it
 * are projections or guarded by intents, and the next pass reads what came of them.
 */
export async function pass(context: RepositoryContext): Promise<PassResult> {
  const observation = await observe(context);
  if (observation.kind === 'alarm') {
    return { kind: 'stopped', code: observation.alarm.code, detail: observation.alarm.detail };
  }
  if (observation.kind === 'policy-invalid') {
    return { kind: 'stopped', code: 'policy-invalid', detail: observation.problems.join('; ') };
  }
  if (observation.kind === 'renamed') {
    return { kind: 'stopped', code: 'renamed', detail: `The repository is ${observation.to} now.` };
  }
  const { snapshot, policy, readSpec } = observation;
  if (snapshot.alarms.length > 0) return recordAlarm(context, snapshot);
  const decision = decide(snapshot, policy.policy, readSpec);
  const input: ComputeInput = { context, snapshot, state: decision.state, policy: policy.policy, readSpec };
  const faults: unknown[] = [];
  const outcomes = await computeAll(input, decision.computations, faults);
  const moves = outcomes.flatMap((outcome) => ('moves' in outcome ? outcome.moves : []));
  const state = record(decision.state, outcomes, instant(snapshot.now));
  const points = pushPoints(snapshot.state, state, outcomes);
  const pushed = await pushState(context, snapshot.stateHead, snapshot.state, state, moves, points);
  if (pushed.kind === 'again') return { kind: 'again', why: pushed.why };
  if (pushed.kind === 'refused') return { kind: 'stopped', code: 'push-refused', detail: pushed.why };
  if (pushed.kind === 'moved') context.memory.stateHead = pushed.head;
  const effects: EffectOutcome[] = [];
  const pushedAt = context.clock.now();
  for (const effect of decision.effects) {
    // From then on another instance may take over what this pass set out to do: a process that stood still looks again first.
    if (context.clock.now() - pushedAt > Math.max(context.takeoverMs, shortestEffectsMs)) {
      return { kind: 'again', why: 'effects took too long' };
    }
    await context.checkpoint(`before.${effect.kind}`);
    const outcome = await apart(context, effect.kind, faults, () => applyEffect({ ...input, state }, effect));
    if (outcome === null) continue;
    await context.checkpoint(`after.${effect.kind}`);
    effects.push(outcome);
    if (outcome.kind === 'rate-limited') return { kind: 'rate-limited', retryAt: outcome.retryAtMs };
    if (outcome.kind !== 'done') logOutcome(context, outcome);
  }
  if (pushed.kind === 'moved' || effects.some(({ kind }) => kind === 'done')) return { kind: 'changed' };
  if (faults.length > 0) throw faults[0];
  // A write that is refused again and again must not become a loop without rest.
  const retryAt = effects.length === 0 ? null : context.clock.now() + refusedRestMs;
  const wakes = [decision.wakeAt, retryAt].filter((at) => at !== null);
  return { kind: 'quiet', wakeAt: wakes.length === 0 ? null : Math.min(...wakes), busy: isBusy(state) };
}

const ofOneTask: ReadonlySet<string> = new Set(['bug.decision', 'github.artifact-not-delivered']);

/**
 * One task's fault is kept from stopping the others: it is told and thrown when nothing else is left to do. What ails GitHub, git or the
 * machine ails all of them, and ends the pass at once.
 */
async function apart<T>(
  { log }: RepositoryContext,
  what: string,
  faults: unknown[],
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CcdError) || !ofOneTask.has(error.code)) throw error;
    log.error('left out', { what, code: error.code, message: error.message });
    faults.push(error);
    return null;
  }
}

async function computeAll(
  input: ComputeInput,
  computations: readonly Computation[],
  faults: unknown[],
): Promise<ComputationOutcome[]> {
  const outcomes: ComputationOutcome[] = [];
  // Last, so that nothing else lies between its reads and the push.
  const ordered = [...computations].sort(
    (one, other) => Number(one.kind === 'land') - Number(other.kind === 'land'),
  );
  const { clock } = input.context;
  for (const computation of ordered) {
    const startedAt = clock.now();
    const outcome = await apart(input.context, nameOf(computation), faults, () =>
      compute(input, computation),
    );
    if (outcome === null) continue;
    if (outcome.kind === 'landed' && clock.now() - startedAt > landingAgeMs) continue;
    input.context.log.info('computed', { what: nameOf(computation), outcome: outcome.kind });
    outcomes.push(outcome);
  }
  return outcomes;
}

function isBusy(state: ComputeInput['state']): boolean {
  const tasks = [...state.tasks.values()].filter((task) => !task.settled);
  return (
    state.queue.build !== null ||
    tasks.some((task) => task.phase === 'running' || task.facts?.state === 'running')
  );
}

function logOutcome(context: RepositoryContext, outcome: EffectOutcome): void {
  if (outcome.kind === 'refused' || outcome.kind === 'unclear') {
    context.log.warn('effect', { outcome: outcome.kind, what: outcome.what, reason: outcome.reason });
  }
}
