import { join } from 'node:path';
import type { Scope } from '../expressions/evaluate.ts';
import { renderTexts } from '../expressions/template.ts';
import type { NodeRuns } from '../workflow/parse-action.ts';
import type { StepBody } from '../workflow/schema.ts';
import { type Frame, type JobWorld, newFrame, type StepEnd, stepScope } from './job-world.ts';
import { type ResolvedAction, resolveLocalAction } from './resolve-action.ts';
import { prepareBuiltIn } from './run-built-in.ts';
import { runComposite } from './run-composite.ts';
import { runProcess } from './run-process.ts';

/** What a `uses` step brings along when it is executed. */
export interface ActionCall {
  readonly world: JobWorld;
  readonly frame: Frame;
  readonly step: StepBody;
  readonly label: string;
  readonly scope: Scope;
  readonly env: Readonly<Record<string, string>>;
  readonly timeout: number | null;
}

type DirectoryAction = Extract<ResolvedAction, { kind: 'directory' }>;

/** An action of JavaScript over its phases; state lives from one to the next. */
export interface NodeCall {
  readonly action: DirectoryAction;
  readonly runs: NodeRuns;
  readonly inputs: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly state: Map<string, string>;
}

/** Values for an action's inputs: what the step gives, else the manifest's defaults. Unknown ones only warn, as on GitHub. */
function actionInputs(call: ActionCall, action: DirectoryAction): Record<string, string> {
  const given = renderTexts(call.step.with ?? {}, call.scope);
  const declared = action.manifest.inputs;
  const unknown = Object.keys(given).filter(
    (name) => !Object.keys(declared).some((known) => sameName(known, name)),
  );
  if (unknown.length > 0) {
    const names = Object.keys(declared).map((name) => `'${name}'`);
    call.world.log.line(
      `##[warning]Unexpected input(s) '${unknown.join("', '")}', valid inputs are [${names.join(', ')}]`,
    );
  }
  const defaults = Object.entries(declared)
    .filter(([name]) => !Object.keys(given).some((one) => sameName(one, name)))
    .map(([name, input]) => [name, input.default ?? ''] as const);
  return { ...renderTexts(Object.fromEntries(defaults), call.scope), ...given };
}

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Runs one phase (pre, main or post) of a JavaScript action with this very Node. */
function runNodePhase(
  world: JobWorld,
  node: NodeCall,
  script: string,
  label: string,
  timeout: number | null,
): Promise<StepEnd> {
  const { action, inputs, state, env } = node;
  const variable = (prefix: string, name: string) => `${prefix}_${name.replaceAll(' ', '_')}`;
  return runProcess(world, {
    label,
    argv: [process.execPath, join(action.directory, script)],
    cwd: world.paths.workspace,
    timeout,
    state,
    env: {
      ...env,
      ...world.services.runtime,
      ...Object.fromEntries(
        Object.entries(inputs).map(([name, value]) => [variable('INPUT', name).toUpperCase(), value]),
      ),
      ...Object.fromEntries([...state].map(([name, value]) => [variable('STATE', name), value])),
      GITHUB_ACTION_PATH: action.directory,
      GITHUB_ACTION_REPOSITORY: action.repository,
      GITHUB_ACTION_REF: action.ref,
    },
  });
}

async function runNodeAction(
  call: ActionCall,
  action: DirectoryAction,
  runs: NodeRuns,
  prepared?: NodeCall,
): Promise<StepEnd> {
  const { world, frame, label } = call;
  const node: NodeCall = {
    action,
    runs,
    inputs: actionInputs(call, action),
    env: call.env,
    state: prepared?.state ?? new Map(),
  };
  world.log.group(label, [
    'with:',
    ...Object.entries(node.inputs).map(([name, value]) => `  ${name}: ${value}`),
  ]);
  if (runs.post !== undefined) {
    const post = runs.post;
    const name = `Post ${label}`;
    world.post.push({
      name,
      frame,
      condition: runs['post-if'] ?? 'always()',
      run: () => runNodePhase(world, node, post, name, null),
    });
  }
  return runNodePhase(world, node, runs.main, label, call.timeout);
}

/** Executes a `uses` step, whatever kind of action stands behind it. `prepared` is what its pre phase left. */
export async function runAction(
  call: ActionCall,
  resolved: ResolvedAction,
  prepared?: NodeCall,
): Promise<StepEnd> {
  const { world, frame } = call;
  switch (resolved.kind) {
    case 'refused':
      world.log.error(resolved.problem);
      return { outcome: 'failure', outputs: {} };
    case 'local': {
      const origin = {
        repository: world.defaults.GITHUB_REPOSITORY ?? '',
        ref: world.defaults.GITHUB_REF ?? '',
      };
      return runAction(call, await resolveLocalAction(resolved.path, world.paths.workspace, origin));
    }
    case 'built-in':
      return prepareBuiltIn(call, resolved.action);
    case 'directory': {
      const { runs } = resolved.manifest;
      if (runs.using !== 'composite') return runNodeAction(call, resolved, runs, prepared);
      const inner = newFrame({
        inputs: actionInputs(call, resolved),
        actionPath: resolved.directory,
        action: { repository: resolved.repository, ref: resolved.ref },
        env: { ...frame.env, ...call.env },
      });
      return runComposite(world, inner, resolved.manifest, runs.steps, call.timeout);
    }
  }
}

/** Runs the `pre` phases of a job's actions, before its steps. Actions of the repository itself have none, as on GitHub. */
export async function runPrePhase(world: JobWorld, step: StepBody, resolved: ResolvedAction, label: string) {
  if (resolved.kind !== 'directory' || resolved.manifest.runs.using === 'composite') return null;
  const { runs } = resolved.manifest;
  if (!('pre' in runs) || runs.pre === undefined) return null;
  const scope = stepScope(world, world.main);
  const call: ActionCall = { world, frame: world.main, step, label, scope, env: {}, timeout: null };
  const inputs = actionInputs(call, resolved);
  const node: NodeCall = { action: resolved, runs, inputs, env: {}, state: new Map() };
  return { node, end: await runNodePhase(world, node, runs.pre, label, null) };
}
