import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Annotation } from '../../records/check.ts';
import { parseKeyValueFile } from './command-file.ts';
import type { JobWorld, StepEnd } from './job-world.ts';
import { OutputReader } from './output-reader.ts';
import { readJobFile } from './read-job-file.ts';
import { startStepProcess } from './step-process.ts';

/** One process of a step, and where what it writes goes. */
interface ProcessOrder {
  readonly label: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds; null for no limit of its own. */
  readonly timeout: number | null;
  /** State that an action keeps from one of its phases to the next. */
  readonly state: Map<string, string>;
}

const FILES = ['GITHUB_ENV', 'GITHUB_OUTPUT', 'GITHUB_PATH', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'] as const;
const MAX_SUMMARY = 1024 * 1024;

type CommandFiles = Record<(typeof FILES)[number], string>;

async function makeCommandFiles(world: JobWorld): Promise<CommandFiles> {
  world.commandFiles += 1;
  const entries = FILES.map((name) => [
    name,
    join(world.paths.commands, `${name.slice(7).toLowerCase()}_${world.commandFiles}`),
  ]);
  for (const [, path] of entries) await writeFile(path!, '');
  return Object.fromEntries(entries) as CommandFiles;
}

function takeEnvironment(world: JobWorld, name: string, value: string): void {
  if (name.toUpperCase() === 'NODE_OPTIONS') {
    world.log.error("Can't store NODE_OPTIONS output parameter using '$GITHUB_ENV' command.");
    return;
  }
  world.env[name] = value;
}

/** Takes over what a step wrote to its command files. False, with the reason in the log, when one is malformed. */
async function takeCommandFiles(
  world: JobWorld,
  files: CommandFiles,
  outputs: Map<string, string>,
  state: Map<string, string>,
): Promise<boolean> {
  const read = async (name: keyof CommandFiles) => (await readJobFile(files[name])) ?? '';
  try {
    for (const [name, value] of parseKeyValueFile(await read('GITHUB_ENV')))
      takeEnvironment(world, name, value);
    for (const [name, value] of parseKeyValueFile(await read('GITHUB_OUTPUT'))) outputs.set(name, value);
    for (const [name, value] of parseKeyValueFile(await read('GITHUB_STATE'))) state.set(name, value);
  } catch (error) {
    world.log.error(`Unable to process file command successfully. ${(error as Error).message}`);
    return false;
  }
  for (const line of (await read('GITHUB_PATH')).split(/\r?\n/)) if (line !== '') world.path.unshift(line);
  const summary = await read('GITHUB_STEP_SUMMARY');
  if (summary.length <= MAX_SUMMARY) world.job.summary += world.masks.apply(summary);
  return true;
}

/** The whole environment of a step's process. Later parts win; GitHub's default variables cannot be replaced. */
function processEnvironment(world: JobWorld, env: Readonly<Record<string, string>>): Record<string, string> {
  const merged = { ...world.machineEnv, ...world.env, ...env };
  const path = [...world.path, merged.PATH ?? '/usr/local/bin:/usr/bin:/bin'].join(':');
  return { ...merged, PATH: path, ...world.defaults };
}

/**
 * Takes annotations of one step: ten of each level, fifty of the job; the log has them all ("Limitations" of problem matchers in
 * the documentation of actions/toolkit).
 */
function annotator({ job }: JobWorld): (annotation: Annotation) => void {
  const left = new Map<string, number>();
  return (annotation) => {
    const room = left.get(annotation.annotation_level) ?? 10;
    if (room === 0 || job.annotations.length >= 50) return;
    left.set(annotation.annotation_level, room - 1);
    job.annotations.push(annotation);
  };
}

/** Runs one process of a step to its end: exit code 0 is success, a requested stop is `cancelled`. */
export async function runProcess(world: JobWorld, order: ProcessOrder): Promise<StepEnd> {
  const files = await makeCommandFiles(world);
  const outputs = new Map<string, string>();
  const reader = new OutputReader({
    log: world.log,
    masks: world.masks,
    annotate: annotator(world),
    setOutput: (name, value) => outputs.set(name, value),
    saveState: (name, value) => order.state.set(name, value),
  });
  const env = { ...processEnvironment(world, order.env), ...files };
  const child = startStepProcess({ ...order, env }, world.namespace, world.config.stopTimes, (line) =>
    reader.read(line),
  );
  let stopped = false;
  let timedOut = false;
  const leave = world.control.enter((now) => {
    stopped = true;
    child.stop(now);
  });
  const timer =
    order.timeout === null
      ? null
      : setTimeout(() => {
          timedOut = true;
          child.stop(false);
        }, order.timeout);
  const code = await child.ended;
  if (timer !== null) clearTimeout(timer);
  leave();
  const filesRead = await takeCommandFiles(world, files, outputs, order.state);
  const end = (outcome: StepEnd['outcome']): StepEnd => ({ outcome, outputs: Object.fromEntries(outputs) });
  if (stopped) {
    world.log.error('The operation was canceled.');
    return end('cancelled');
  }
  if (timedOut) {
    world.log.error(
      `The action '${order.label}' has timed out after ${Math.round(order.timeout! / 600) / 100} minutes.`,
    );
    return end('failure');
  }
  if (code === 0) return end(filesRead ? 'success' : 'failure');
  world.log.error(`Process completed with exit code ${code ?? 'signal'}.`);
  return end('failure');
}
