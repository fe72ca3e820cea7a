import { renderTexts } from '../expressions/template.ts';
import type { BuiltInAction, BuiltInCall } from './built-in/built-in-action.ts';
import type { StepEnd } from './job-world.ts';
import type { ActionCall } from './run-action.ts';

/** Executes a stand-in for one of GitHub's own actions. An input that it does not know is refused by name. */
export async function prepareBuiltIn(call: ActionCall, action: BuiltInAction): Promise<StepEnd> {
  const { world, label } = call;
  const given = renderTexts(call.step.with ?? {}, call.scope);
  const unknown = Object.keys(given).filter((name) => !(name in action.inputs));
  for (const name of unknown)
    world.log.error(`${call.step.uses}: with.${name}: not supported by the local runner`);
  if (unknown.length > 0) return { outcome: 'failure', outputs: {} };
  const inputs = { ...action.inputs, ...given };
  world.log.group(label, ['with:', ...Object.entries(inputs).map(([name, value]) => `  ${name}: ${value}`)]);
  const inner: BuiltInCall = {
    world,
    label,
    inputs,
    env: call.env,
    timeout: call.timeout,
    state: new Map(),
  };
  const { post } = action;
  if (post !== undefined) {
    world.post.push({
      name: `Post ${label}`,
      frame: call.frame,
      condition: action.postIf ?? 'always()',
      run: () => post(inner),
    });
  }
  return action.main(inner);
}
