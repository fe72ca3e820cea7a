import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Scope } from '../expressions/evaluate.ts';
import { renderText } from '../expressions/template.ts';
import type { StepBody } from '../workflow/schema.ts';
import type { Frame, JobWorld, StepEnd } from './job-world.ts';
import { runProcess } from './run-process.ts';
import { shellCommand } from './shell.ts';

/** `defaults.run` of the job, over that of the workflow; composite actions have none. */
function runDefaults(
  world: JobWorld,
  frame: Frame,
): { readonly shell?: string; readonly directory?: string } {
  if (frame.inputs !== null) return {};
  const [job, workflow] = [world.job.body.defaults?.run, world.job.set.file.body.defaults?.run];
  const shell = job?.shell ?? workflow?.shell;
  const directory = job?.['working-directory'] ?? workflow?.['working-directory'];
  return { ...(shell === undefined ? {} : { shell }), ...(directory === undefined ? {} : { directory }) };
}

/** Executes a `run` step. */
export async function runScript(
  world: JobWorld,
  frame: Frame,
  step: StepBody,
  details: {
    readonly scope: Scope;
    readonly env: Readonly<Record<string, string>>;
    readonly timeout: number | null;
    readonly label: string;
  },
): Promise<StepEnd> {
  const { scope, env, timeout, label } = details;
  const defaults = runDefaults(world, frame);
  const shell = renderText(step.shell ?? defaults.shell ?? '', scope);
  const directory = renderText(step['working-directory'] ?? defaults.directory ?? '.', scope);
  const script = renderText(step.run ?? '', scope);
  const { argv, extension } = shellCommand(shell);
  world.commandFiles += 1;
  const file = join(world.paths.scripts, `${world.commandFiles}${extension}`);
  await writeFile(file, `${script}\n`, { mode: 0o755 });
  world.log.group(label, [...script.split('\n'), `shell: ${argv(file).join(' ')}`, ...environmentLines(env)]);
  return runProcess(world, {
    label,
    argv: argv(file),
    cwd: resolve(world.paths.workspace, directory),
    env: { ...env, ...(frame.actionPath === null ? {} : { GITHUB_ACTION_PATH: frame.actionPath }) },
    timeout,
    state: new Map(),
  });
}

function environmentLines(env: Readonly<Record<string, string>>): string[] {
  const names = Object.keys(env);
  return names.length === 0 ? [] : ['env:', ...names.map((name) => `  ${name}: ${env[name]}`)];
}
