import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { StaticJudge } from '../../app/compute/static-judge.ts';
import { CcdError } from '../../domain/errors.ts';
import type { TaskState } from '../../domain/state.ts';
import { git, gitText } from '../../git/run-git.ts';
import { systemClock } from '../../host/clock.ts';
import { defaultPolicy } from '../../policy/default-policy.ts';
import { parseSpec } from '../../spec/parse-spec.ts';
import type { CliIo } from '../command.ts';
import { type DemoFlags, modelSecrets, modelVariables } from './demo-flags.ts';
import { askToStart, openIssue } from './people.ts';
import { copyRepository } from './project.ts';
import { initWorld } from './run-demo.ts';
import { checkTrunk, trunkOf } from './verify.ts';
import { watchUntilSettled } from './watch.ts';
import { createWorld, type World } from './world.ts';

export interface OwnDemoOptions {
  readonly dir: string;
  readonly root: string;
  readonly cli: string;
  readonly judge: StaticJudge;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
  readonly beforeClose: (world: World) => Promise<void>;
  readonly flags: DemoFlags;
  readonly repo: string;
}

interface OwnTask {
  readonly title: string;
  readonly body: string;
}

/** Runs one task on HEAD of a user's repository, which is only read, and leaves a bundle and a patch of what landed. */
export async function runOwnDemo(options: OwnDemoOptions, io: CliIo): Promise<void> {
  const { flags } = options;
  if (flags.agent === undefined)
    throw usage(
      'There is no agent for your own repository.',
      'Name one with --agent, such as --agent claude.',
    );
  if (flags.spec === undefined) throw usage('There is no task.', 'Name its file with --spec.');
  const source = resolve(io.cwd, options.repo);
  const task = await readTask(resolve(io.cwd, flags.spec));
  const agent = await findAgent(flags.agent, io);
  const copied = await copyRepository(source, join(options.dir, 'project'), testCommandOf(task));
  if (copied.dirty) io.stderr('Warning: the work tree has changes that are not committed; HEAD counts.\n');
  const world = await createWorld({
    dir: options.dir,
    source: join(options.dir, 'project'),
    root: options.root,
    cli: options.cli,
    agent,
    agentEnv: {},
    variables: { CCD_AGENT_READABLE: [agent, options.dir].join('\n'), ...modelVariables(io) },
    secrets: modelSecrets(io),
    appManifest: await readFile(join(options.root, 'app.yml'), 'utf8'),
  });
  try {
    options.onLine(`local GitHub at ${world.github.url}`);
    await initWorld(world, options.judge, options.onLine);
    const before = await trunkOf(world.repo.git.dir);
    await world.startApp();
    const ended = await follow(world, task, options);
    const trunk = await checkTrunk(world.repo.git.dir, before, [ended]);
    const files =
      ended.landed === null ? [] : await writeResult(world, before, resolve(io.cwd, flags.out ?? 'ccd-out'));
    await options.beforeClose(world);
    const ok = ended.phase === 'landed' && trunk.problems.length === 0;
    const result = {
      ok,
      state: ended.phase,
      generation: ended.generation,
      reason: ended.reason?.code ?? null,
      landed: ended.landed?.commit ?? null,
      files,
    };
    if (flags.json) io.stdout(`${JSON.stringify(result)}\n`);
    else
      io.stdout(
        `${ended.phase}${result.reason === null ? '' : `: ${result.reason}`}\n${files.map((file) => `wrote ${file}\n`).join('')}`,
      );
    for (const problem of trunk.problems) io.stderr(`WRONG: ${problem}\n`);
    io.setExit(ok ? 0 : 1);
  } finally {
    await world.close();
  }
}

/** A first line `# title` names the task and is no part of its body. */
async function readTask(path: string): Promise<OwnTask> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw usage(`The spec ${path} cannot be read.`, 'Name a file in Markdown with --spec.', cause);
  });
  const match = /^\uFEFF?# +(.+?) *\r?\n/.exec(text);
  return { title: match?.[1] ?? 'A task', body: match === null ? text : text.slice(match[0].length) };
}

function testCommandOf(task: OwnTask): string | null {
  const read = parseSpec(task.body, defaultPolicy);
  return (read.kind === 'valid' ? read.spec.testCommand : read.partial.testCommand) ?? null;
}

async function findAgent(name: string, io: CliIo): Promise<string> {
  const places = name.includes('/')
    ? [resolve(io.cwd, name)]
    : (io.env.PATH ?? '').split(':').map((dir) => join(dir, name));
  for (const place of places) {
    const found = await stat(place).catch(() => null);
    if (found?.isFile() && (found.mode & 0o111) !== 0) return place;
  }
  throw usage(`The agent ${name} is no executable that can be found.`, 'Give its path with --agent.');
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
    signal: options.signal,
    onChange: (seen) =>
      options.onLine(
        `#${seen.issue} ${seen.phase} (generation ${seen.generation})${seen.reason === null ? '' : `: ${seen.reason.code}`}`,
      ),
  });
  return tasks.get(number)!;
}

async function writeResult(world: World, before: string, out: string): Promise<string[]> {
  await mkdir(out, { recursive: true });
  const gitDir = world.repo.git.dir;
  const bundle = join(out, 'landed.bundle');
  const patch = join(out, 'landed.patch');
  await git({ gitDir, args: ['bundle', 'create', '--quiet', bundle, `${before}..refs/heads/main`] });
  await writeFile(
    patch,
    await gitText({ gitDir, args: ['diff', '--binary', '--full-index', before, 'refs/heads/main'] }),
  );
  return [bundle, patch];
}

function usage(message: string, remedy: string, cause?: unknown): CcdError {
  return new CcdError({ code: 'cli.usage', message, remedy, audience: 'operator', cause });
}
