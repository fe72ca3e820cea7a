import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { StaticJudge } from '../../app/compute/static-judge.ts';
import type { TaskState } from '../../domain/state.ts';
import { openObjects } from '../../git/objects.ts';
import { systemClock } from '../../host/clock.ts';
import { explainReason } from '../../text/reason-words.ts';
import type { CliIo } from '../command.ts';
import { findAgent } from '../find-agent.ts';
import { usage } from '../usage.ts';
import { type DemoFlags, modelSecrets, modelVariables } from './demo-flags.ts';
import { processesOf } from './leftovers.ts';
import { lostRunners } from './lost-runners.ts';
import { fetchHead, findRepository, type OwnRepository } from './own-repository.ts';
import { checkOut, writeResult } from './own-result.ts';
import { type OwnTask, readTask, specOf } from './own-task.ts';
import { addTrunkFiles } from './own-trunk.ts';
import { refuseForeignWorkflows } from './own-workflows.ts';
import { askToStart, openIssue } from './people.ts';
import { initWorld } from './run-demo.ts';
import { assertSound } from './soundness.ts';
import { checkTrunk, trunkOf } from './verify.ts';
import { watchUntilSettled } from './watch.ts';
import { createWorld, type World } from './world.ts';

export interface OwnDemoOptions {
  readonly dir: string;
  readonly root: string;
  readonly cli: string;
  readonly judge: StaticJudge;
  readonly onLine: (line: string) => void;
  readonly beforeClose: (world: World) => Promise<void>;
  readonly flags: DemoFlags;
  readonly repo: string;
}

interface Prepared {
  readonly own: OwnRepository;
  readonly task: OwnTask;
  readonly agent: string;
  readonly out: string;
  /** The bare copy. */
  readonly project: string;
}

/** Runs one task on HEAD of a user's repository, which is only read, and leaves a bundle and a patch of what landed. */
export async function runOwnDemo(options: OwnDemoOptions, io: CliIo): Promise<void> {
  const prepared = await prepare(options, io);
  const { agent, project } = prepared;
  const world = await createWorld({
    dir: options.dir,
    source: project,
    root: options.root,
    cli: options.cli,
    agent,
    agentEnv: {},
    variables: modelVariables(io),
    secrets: modelSecrets(io),
    appManifest: await readFile(join(options.root, 'app.yml'), 'utf8'),
  });
  try {
    await play(world, prepared, options, io);
  } finally {
    await world.close();
  }
}

/** Everything that can be wrong with what was asked for is found here, before anything starts. */
async function prepare({ flags, repo, dir }: OwnDemoOptions, io: CliIo): Promise<Prepared> {
  if (flags.agent === undefined)
    throw usage(
      'There is no agent for your own repository.',
      'Name one with --agent, such as --agent claude.',
    );
  if (flags.spec === undefined) throw usage('There is no task.', 'Name its file with --spec.');
  const own = await findRepository(resolve(io.cwd, repo));
  const task = await readTask(resolve(io.cwd, flags.spec));
  const agent = await findAgent(flags.agent, io);
  const project = join(dir, 'project.git');
  await fetchHead(own, project);
  await makeTrunk(project, own, task, io);
  if (own.dirty) io.stderr('Warning: the work tree has changes that are not committed; HEAD counts.\n');
  const out = resolve(io.cwd, flags.out ?? 'ccd-out');
  await checkOut(out);
  return { own, task, agent, out, project };
}

async function makeTrunk(project: string, own: OwnRepository, task: OwnTask, io: CliIo): Promise<void> {
  const objects = openObjects(project);
  try {
    const entries = await objects.readTree(own.head);
    const textOf = async (path: string) => {
      const entry = entries.find((one) => one.path === path && one.kind === 'blob');
      return entry === undefined ? null : (await objects.readBlob(entry.oid)).toString('utf8');
    };
    const policy = await textOf('.github/ccd.yml');
    const spec = specOf(task, policy);
    const workflows = new Map<string, string>();
    for (const { path } of entries)
      if (/^\.github\/workflows\/(?!ccd-)[^/]+\.ya?ml$/.test(path))
        workflows.set(path, (await textOf(path)) ?? '');
    await refuseForeignWorkflows(workflows);
    for (const { path } of entries.filter(({ kind }) => kind === 'gitlink'))
      io.stderr(`Warning: the submodule ${JSON.stringify(path)} stays an empty folder.\n`);
    await addTrunkFiles(project, new Set(entries.map(({ path }) => path)), policy === null ? spec : null);
  } finally {
    await objects.close();
  }
}

async function play(world: World, prepared: Prepared, options: OwnDemoOptions, io: CliIo): Promise<void> {
  options.onLine(`local GitHub at ${world.github.url}`);
  await initWorld(world, options.judge, options.onLine);
  const gitDir = world.repo.git.dir;
  const before = await trunkOf(gitDir);
  await world.startApp();
  const ended = await follow(world, prepared.task, options);
  const trunk = await checkTrunk(gitDir, before, [ended]);
  const written =
    ended.landed === null || trunk.problems.length > 0
      ? null
      : await writeResult(
          { gitDir, head: prepared.own.head, before, after: trunk.after, title: prepared.task.title },
          prepared.out,
        );
  await options.beforeClose(world);
  await world.close();
  const problems = [...trunk.problems, ...processesOf(options.dir).map((pid) => `process ${pid} is left`)];
  report(ended, written, problems, options.flags, io);
}

function report(
  ended: TaskState,
  written: Awaited<ReturnType<typeof writeResult>> | null,
  problems: readonly string[],
  flags: DemoFlags,
  io: CliIo,
): void {
  const ok = ended.phase === 'landed' && problems.length === 0;
  const { phase: state, generation, reason, landed } = ended;
  const files = written?.files ?? [];
  if (flags.json) {
    const ids = { landed: landed?.commit ?? null, commit: written?.commit ?? null };
    io.stdout(`${JSON.stringify({ ok, state, generation, reason: reason?.code ?? null, ...ids, files })}\n`);
  } else {
    const why = reason === null ? '' : `: ${explainReason(reason, state).why}`;
    io.stdout(`${state}${why}\n${files.map((file) => `wrote ${file}\n`).join('')}`);
  }
  for (const attempt of lostRunners(ended)) io.stderr(`Warning: the runner of attempt ${attempt} died.\n`);
  for (const problem of problems) io.stderr(`WRONG: ${problem}\n`);
  io.setExit(ok ? 0 : 1);
}

async function follow(world: World, task: OwnTask, options: OwnDemoOptions): Promise<TaskState> {
  const repo = { owner: world.owner, name: world.name };
  const number = await openIssue(world.maintainer, repo, task.title, task.body);
  await askToStart(world.maintainer, repo, number);
  const { tasks } = await watchUntilSettled({
    gitDir: world.repo.git.dir,
    issues: [number],
    clock: systemClock,
    timeoutMs: 60 * 60_000,
    check: () => assertSound(world, options.dir),
    onChange: (seen) =>
      options.onLine(
        `#${seen.issue} ${seen.phase} (generation ${seen.generation})${seen.reason === null ? '' : `: ${seen.reason.code}`}`,
      ),
  });
  return tasks.get(number)!;
}
