import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJudgeChild } from '../../../src/app/judge/judge-child.ts';
import { processesOf } from '../../../src/cli/demo/leftovers.ts';
import { askToStart, openIssue } from '../../../src/cli/demo/people.ts';
import { makeProject } from '../../../src/cli/demo/project.ts';
import { type ReadTasks, readTasks } from '../../../src/cli/demo/read-tasks.ts';
import { initWorld } from '../../../src/cli/demo/run-demo.ts';
import { trunkOf } from '../../../src/cli/demo/verify.ts';
import { createWorld, type World } from '../../../src/cli/demo/world.ts';
import type { TaskState } from '../../../src/domain/state.ts';
import { type AgentStep, tinyFix, tinyTask, writeTinyProject } from './tiny-project.ts';

export const root = join(import.meta.dirname, '..', '..', '..');
export const cli = join(root, 'dist', 'cli', 'ccd.mjs');

/** One GitHub with the tiny project on it, the app initialised, and an agent that does what it is told. */
export interface Scenario {
  readonly world: World;
  readonly dir: string;
  readonly repo: { readonly owner: string; readonly name: string };
  /** Trunk before anything was asked for. */
  readonly before: string;
  /** What the agent does from now on. */
  tellAgent(steps: readonly AgentStep[]): Promise<void>;
  /** Writes the tiny task's issue, and labels it unless told otherwise. */
  ask(task?: { readonly title?: string; readonly body?: string; readonly label?: boolean }): Promise<number>;
  read(): Promise<ReadTasks>;
  /** Resolves with the task once a condition holds; rejects with where it stood after the time. */
  until(
    issue: number,
    name: string,
    condition: (task: TaskState) => boolean,
    timeoutMs?: number,
  ): Promise<TaskState>;
  trunk(): Promise<string>;
  close(): Promise<void>;
}

export async function openScenario(
  options: {
    readonly files?: Readonly<Record<string, string>>;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<Scenario> {
  const dir = await mkdtemp(join(tmpdir(), 'ccd-scenario-'));
  const shared = join(dir, 'agent');
  await mkdir(shared);
  const script = join(shared, 'script.json');
  await writeTinyProject(join(dir, 'plain'), options.files);
  await makeProject(join(dir, 'plain'), join(dir, 'project'));
  const world = await createWorld({
    dir,
    source: join(dir, 'project'),
    root,
    cli,
    agent: join(root, 'test', 'scenario', 'support', 'agent.mjs'),
    agentEnv: { CCD_AGENT_SCRIPT: script, ...options.env },
    variables: {
      CCD_AGENT_READABLE: join(root, 'test', 'scenario', 'support'),
      CCD_AGENT_WRITABLE: shared,
    },
    validate: 'throw',
    appManifest: await readFile(join(root, 'app.yml'), 'utf8'),
  });
  const judge = createJudgeChild({ command: [process.execPath, cli, 'judge-trees'], timeoutMs: 60_000 });
  await initWorld(world, judge, () => undefined);
  const tellAgent = (steps: readonly AgentStep[]) => writeFile(script, JSON.stringify(steps));
  await tellAgent(tinyFix);
  const repo = { owner: world.owner, name: world.name };
  const gitDir = world.repo.git.dir;
  return {
    world,
    dir,
    repo,
    before: await trunkOf(gitDir),
    tellAgent,
    ask: async ({ title = tinyTask.title, body = tinyTask.body, label = true } = {}) => {
      const issue = await openIssue(world.maintainer, repo, title, body);
      if (label) await askToStart(world.maintainer, repo, issue);
      return issue;
    },
    read: () => readTasks(gitDir),
    until: (issue, name, condition, timeoutMs = 90_000) => until(gitDir, issue, name, condition, timeoutMs),
    trunk: () => trunkOf(gitDir),
    close: async () => {
      await world.close();
      const left = processesOf(dir);
      await rm(dir, { recursive: true, force: true });
      if (left.length > 0) throw new Error(`processes are left: ${left.join(', ')}`);
    },
  };
}

async function until(
  gitDir: string,
  issue: number,
  name: string,
  condition: (task: TaskState) => boolean,
  timeoutMs: number,
): Promise<TaskState> {
  const endsAt = Date.now() + timeoutMs;
  for (;;) {
    const task = (await readTasks(gitDir)).tasks.get(issue);
    if (task !== undefined && condition(task)) return task;
    if (Date.now() > endsAt) {
      const stood =
        task === undefined
          ? 'not seen'
          : `${task.phase} ${JSON.stringify(task.reason)} generation ${task.generation}`;
      throw new Error(`#${issue} never was: ${name}. It stood at: ${stood}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
