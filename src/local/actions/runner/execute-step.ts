import { evaluateCondition } from '../expressions/condition.ts';
import { renderText, renderTexts, renderValue } from '../expressions/template.ts';
import { isTruthy } from '../expressions/values.ts';
import type { Result } from '../runs/records.ts';
import type { StepBody } from '../workflow/schema.ts';
import { type Frame, type JobWorld, type StepEnd, stepScope } from './job-world.ts';
import type { ResolvedAction } from './resolve-action.ts';
import { type NodeCall, runAction } from './run-action.ts';
import { runScript } from './run-script.ts';

/** The name GitHub shows for a step: its own, else what it runs. */
export function stepLabel(step: StepBody): string {
  if (typeof step.name === 'string' && step.name !== '') return step.name;
  return `Run ${(step.run ?? step.uses ?? '').trim().split('\n')[0]}`;
}

/** Executes one step of a frame, and keeps its outcome there. Answers its conclusion. */
export async function executeStep(
  world: JobWorld,
  frame: Frame,
  step: StepBody,
  how: {
    /** The action behind `uses`; null for a script. */
    readonly resolved: ResolvedAction | null;
    /** What the action's pre phase left. */
    readonly prepared?: NodeCall | null;
    /** Milliseconds that it may take at most, whatever it says itself. */
    readonly limit?: number | null;
  },
): Promise<Result> {
  const { resolved, prepared, limit = null } = how;
  if (world.control.forced) return note(frame, step, 'cancelled', 'cancelled', {});
  world.control.beginStep();
  let end: StepEnd;
  let tolerated = false;
  try {
    const outer = stepScope(world, frame);
    const env = renderTexts(step.env ?? {}, outer);
    const scope = stepScope(world, frame, env);
    if (!evaluateCondition(step.if, scope)) return note(frame, step, 'skipped', 'skipped', {});
    tolerated = isTruthy(renderValue(step['continue-on-error'] ?? false, scope));
    const minutes = step['timeout-minutes'];
    const own = minutes == null ? null : Number(renderText(minutes, scope)) * 60_000;
    const timeout = own === null || limit === null ? (own ?? limit) : Math.min(own, limit);
    const label = renderText(stepLabel(step), scope);
    const details = { scope, env: { ...frame.env, ...env }, timeout, label };
    end =
      resolved === null
        ? await runScript(world, frame, step, details)
        : await runAction({ world, frame, step, ...details }, resolved, prepared ?? undefined);
  } catch (error) {
    world.log.error((error as Error).message);
    end = { outcome: 'failure', outputs: {} };
  }
  const conclusion = tolerated && end.outcome === 'failure' ? 'success' : end.outcome;
  if (conclusion !== 'success') frame.failed = true;
  return note(frame, step, end.outcome, conclusion, end.outputs);
}

function note(
  frame: Frame,
  step: StepBody,
  outcome: Result,
  conclusion: Result,
  outputs: Readonly<Record<string, string>>,
): Result {
  if (step.id !== undefined) frame.steps.set(step.id, { outputs, outcome, conclusion });
  return conclusion;
}
