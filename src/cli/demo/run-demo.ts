import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StaticJudge } from '../../app/compute/static-judge.ts';
import { readConfig } from '../../app/config.ts';
import { initRepository } from '../../app/init/init-repository.ts';
import { openDoors, openRepository } from '../../app/open-repository.ts';
import type { TaskState } from '../../domain/state.ts';
import { findInstallation } from '../../github/observe/repository.ts';
import { systemClock } from '../../host/clock.ts';
import { createLog } from '../../host/log.ts';
import { createHold, playKilled } from './killed-story.ts';
import { processesOf } from './leftovers.ts';
import { lostRunners } from './lost-runners.ts';
import { askToStart, openIssue } from './people.ts';
import { makeProject } from './project.ts';
import type { ReadTasks } from './read-tasks.ts';
import { assertSound } from './soundness.ts';
import { expectedEnds, readStories, type StoryName } from './stories.ts';
import { checkTrunk, suitePasses, type TrunkCheck, trunkOf } from './verify.ts';
import { watchUntilSettled } from './watch.ts';
import { createWorld, type World } from './world.ts';

export interface DemoOptions {
  readonly dir: string;
  readonly root: string;
  readonly cli: string;
  readonly judge: StaticJudge;
  /** Executable in place of `claude`; null: the scripted agent. */
  readonly agent: string | null;
  readonly variables: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly stories: readonly StoryName[];
  readonly timeoutMs: number;
  readonly onLine: (line: string) => void;
  /** Called while everything still stands, before it is taken down. */
  readonly beforeClose: (world: World) => Promise<void>;
}

export interface DemoTask {
  readonly issue: number;
  readonly story: StoryName;
  readonly state: string;
  readonly generation: number;
  readonly attempts: number;
  readonly guard: 'pass' | 'fail' | 'could-not-judge' | 'none';
  readonly landed: string | null;
  readonly costUsd: number | null;
  readonly reason: string | null;
  readonly seconds: number;
  readonly stale: number;
  /** Attempts whose runner died. */
  readonly lost: readonly string[];
}

export interface DemoResult {
  readonly ok: boolean;
  readonly seconds: number;
  readonly apiCalls: { readonly read: number; readonly write: number; readonly content: number };
  readonly trunk: Pick<TrunkCheck, 'before' | 'after' | 'commits'>;
  readonly tasks: readonly DemoTask[];
  readonly problems: readonly string[];
}

/** Plays the five stories on a GitHub of our own and proves with plain git what came of them. */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const startedAt = systemClock.now();
  const project = join(options.dir, 'project');
  await makeProject(join(options.root, 'fixtures', 'demo-project'), project);
  const shared = join(options.dir, 'agent');
  await mkdir(shared);
  const hold = createHold(join(shared, 'hold'));
  const world = await createWorld({
    dir: options.dir,
    source: project,
    root: options.root,
    cli: options.cli,
    agent: options.agent ?? join(options.root, 'fixtures', 'demo-agent', 'agent.mjs'),
    agentEnv: { CCD_AGENT_HOLD: hold.file },
    // A parent that reads the state less often than the story lasts: only so is there something that comes too late.
    variables: {
      CCD_STOP_POLL_SECONDS: '600',
      CCD_AGENT_READABLE: readable(options),
      CCD_AGENT_WRITABLE: shared,
      ...options.variables,
    },
    secrets: options.secrets,
    appManifest: await readFile(join(options.root, 'app.yml'), 'utf8'),
  });
  try {
    options.onLine(`local GitHub at ${world.github.url}`);
    await initWorld(world, options.judge, options.onLine);
    const before = await trunkOf(world.repo.git.dir);
    await world.startApp();
    const played = await play(world, hold, options);
    const trunk = await checkTrunk(world.repo.git.dir, before, [...played.read.tasks.values()]);
    const suite = await suitePasses(world.repo.git.dir, options.dir, 'npm test');
    const apiCalls = callsOf(world);
    await options.beforeClose(world);
    await world.close();
    const problems = [
      ...trunk.problems,
      ...(suite ? [] : ['the suite fails at the head of trunk']),
      ...played.tasks.flatMap(wrongEnd),
      ...processesOf(options.dir).map((pid) => `process ${pid} is left`),
    ];
    const seconds = (systemClock.now() - startedAt) / 1000;
    return {
      ok: problems.length === 0,
      seconds: Math.round(seconds * 10) / 10,
      apiCalls,
      trunk: { before: trunk.before, after: trunk.after, commits: trunk.commits },
      tasks: played.tasks,
      problems,
    };
  } finally {
    await world.close();
  }
}

/** The scripted agent lives in this checkout, which the sandbox hides otherwise. */
function readable(options: DemoOptions): string {
  return join(options.root, 'fixtures', 'demo-agent');
}

function callsOf(world: World): DemoResult['apiCalls'] {
  const { read, write, content } = world.github.store.requests.countsOf(`app:${world.app.slug}`);
  return { read, write: write + content, content };
}

/** The first day, in this process and with the maintainer's token for the rulesets. */
export async function initWorld(
  world: World,
  judge: StaticJudge,
  onLine: (line: string) => void,
): Promise<void> {
  const config = readConfig(world.appEnv());
  const log = createLog(
    () => undefined,
    () => Date.now(),
    (text) => text,
  );
  const doors = openDoors(config, log, judge, async () => undefined);
  const name = { owner: world.owner, name: world.name };
  const installation = await findInstallation(doors.appClient, name);
  const context = await openRepository(doors, installation ?? 0, name);
  try {
    let last = '';
    await initRepository(context, {
      admin: world.maintainer,
      onStep: (step) => {
        if (step !== last) onLine(`init: ${step}`);
        last = step;
      },
    });
  } finally {
    await context.clone.close();
  }
}

interface Played {
  readonly read: ReadTasks;
  readonly tasks: readonly DemoTask[];
}

async function play(
  world: World,
  hold: ReturnType<typeof createHold>,
  options: DemoOptions,
): Promise<Played> {
  const repo = { owner: world.owner, name: world.name };
  const wanted = (await readStories(options.root)).filter((story) => options.stories.includes(story.name));
  const numbers = new Map<StoryName, number>();
  if (wanted.some((story) => story.name === 'killed')) await hold.place();
  for (const story of wanted) {
    const on = story.dependsOn === null ? undefined : numbers.get(story.dependsOn);
    const body = story.body.replaceAll(`{{${story.dependsOn}}}`, `#${on}`);
    const number = await openIssue(world.maintainer, repo, story.title, body);
    numbers.set(story.name, number);
    options.onLine(`#${number} ${story.name}: ${story.title}`);
  }
  const askedAt = systemClock.now();
  for (const number of numbers.values()) await askToStart(world.maintainer, repo, number);
  const names = new Map([...numbers].map(([name, number]) => [number, name]));
  let latest: ReadTasks | null = null;
  const ended = new Map<number, number>();
  const watch = watchUntilSettled({
    gitDir: world.repo.git.dir,
    issues: [...numbers.values()],
    clock: systemClock,
    timeoutMs: options.timeoutMs,
    check: () => assertSound(world, options.dir),
    onRead: (read) => {
      latest = read;
    },
    onChange: (task) => {
      options.onLine(lineOf(task, names.get(task.issue)));
      ended.set(task.issue, systemClock.now());
    },
  });
  const killed = numbers.get('killed');
  const stop = new AbortController();
  const { signal } = stop;
  const side =
    killed === undefined
      ? Promise.resolve()
      : playKilled(
          { actions: world.actions, hold, issue: killed, clock: systemClock, signal },
          () => latest,
          options.onLine,
        );
  try {
    const read = await watch;
    const tasks = [...numbers].map(([name, number]) =>
      demoTask(name, read.tasks.get(number)!, ((ended.get(number) ?? askedAt) - askedAt) / 1000),
    );
    return { read, tasks };
  } finally {
    stop.abort();
    await side;
  }
}

function lineOf(task: TaskState, story: StoryName | undefined): string {
  const generation = task.generation > 0 ? ` (generation ${task.generation})` : '';
  const reason =
    task.reason === null ? '' : `: ${task.reason.code}${task.reason.of === null ? '' : ` ${task.reason.of}`}`;
  return `#${task.issue} ${story ?? ''} ${task.phase}${generation}${reason}`;
}

function demoTask(story: StoryName, task: TaskState, seconds: number): DemoTask {
  const metered = task.records.filter((record) => record.microUsd !== null);
  return {
    issue: task.issue,
    story,
    state: task.phase,
    generation: task.generation,
    attempts: task.records.length,
    guard: guardOf(task),
    landed: task.landed?.commit ?? null,
    costUsd: metered.length === 0 ? null : task.spent.microUsd / 1_000_000,
    reason: task.reason?.code ?? null,
    seconds: Math.round(seconds * 10) / 10,
    stale: task.handovers.filter((entry) => entry.result === 'stale_generation').length,
    lost: lostRunners(task),
  };
}

function guardOf(task: TaskState): DemoTask['guard'] {
  if (task.verdict !== null) return task.verdict.verdict;
  return (task.refused?.findings.length ?? 0) > 0 ? 'fail' : 'none';
}

function wrongEnd(task: DemoTask): string[] {
  const expected = expectedEnds[task.story];
  const problems: string[] = [];
  if (task.state !== expected.phase)
    problems.push(`${task.story} ended ${task.state}, not ${expected.phase}`);
  if ((task.landed !== null) !== expected.landed)
    problems.push(`${task.story} ${expected.landed ? 'did not land' : 'landed'}`);
  if (task.story === 'killed' && (task.generation !== 2 || task.stale === 0)) {
    problems.push(`killed ended at generation ${task.generation} with ${task.stale} late hand-overs`);
  }
  // Of the story `killed` the first one is lost on purpose.
  const meant = task.story === 'killed' ? `${task.issue}.1` : null;
  for (const attempt of task.lost)
    if (attempt !== meant) problems.push(`the runner of attempt ${attempt} died`);
  return problems;
}
