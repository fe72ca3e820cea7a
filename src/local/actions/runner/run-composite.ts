import { renderTexts } from '../expressions/template.ts';
import type { ActionManifest } from '../workflow/parse-action.ts';
import type { StepBody } from '../workflow/schema.ts';
import { executeStep } from './execute-step.ts';
import { type Frame, type JobWorld, type StepEnd, stepScope } from './job-world.ts';
import { resolveAction } from './resolve-action.ts';

/** Runs the steps of a composite action one after the other and reads its outputs. `timeout` is for all of them together. */
export async function runComposite(
  world: JobWorld,
  frame: Frame,
  manifest: ActionManifest,
  steps: readonly StepBody[],
  timeout: number | null,
): Promise<StepEnd> {
  const end = timeout === null ? null : performance.now() + timeout;
  for (const step of steps) {
    const resolved = step.uses === undefined ? null : await resolveAction(step.uses, world.config.actionMap);
    const limit = end === null ? null : Math.max(1, end - performance.now());
    await executeStep(world, frame, step, { resolved, limit });
  }
  const values = Object.fromEntries(
    Object.entries(manifest.outputs).map(([name, output]) => [name, output.value ?? '']),
  );
  const outputs = renderTexts(values, stepScope(world, frame));
  if (!frame.failed) return { outcome: 'success', outputs };
  return { outcome: world.control.cancelled ? 'cancelled' : 'failure', outputs };
}
