import { styleText } from 'node:util';
import type { Command } from 'commander';
import { checkGit } from '../../git/check-git.ts';
import type { CliCommand, CliIo } from '../command.ts';
import { type DemoFlags, modelSecrets, modelVariables } from '../demo/demo-flags.ts';
import { runOwnDemo } from '../demo/own-demo.ts';
import { renderDemo } from '../demo/render-demo.ts';
import { type DemoOptions, type DemoResult, runDemo } from '../demo/run-demo.ts';
import { fullDisk } from '../demo/soundness.ts';
import { storyNames } from '../demo/stories.ts';
import type { World } from '../demo/world.ts';
import { findAgent } from '../find-agent.ts';
import { bundledJudge } from '../judge-command.ts';
import { projectRoot } from '../project-root.ts';
import { openThrowaway, type Throwaway } from '../throwaway.ts';
import { usage } from '../usage.ts';

/** `ccd demo`: the whole main job on the embedded local GitHub. */
export const demoCommand: CliCommand = {
  name: 'demo',
  register: (program: Command, io: CliIo) => {
    program
      .command('demo')
      .description(
        'Play the whole main job on a GitHub of our own: no account, no key, nothing leaves this machine.',
      )
      .option(
        '--agent <executable>',
        'what works on the tasks: an executable with the arguments of `claude`, or `claude` itself',
      )
      .option('--repo <dir>', 'run one task on HEAD of this repository instead; it is only read')
      .option(
        '--spec <file>',
        'with --repo: the task, an issue body in Markdown whose first line may be "# title"',
      )
      .option('--out <dir>', 'with --repo: where the bundle and the patch go (default: ccd-out)')
      .option('--keep', 'serve on until Ctrl-C')
      .option('--json', 'print the result as one JSON document')
      .addHelpText(
        'after',
        '\nExamples:\n  ccd demo\n  ccd demo --repo ../shop --spec task.md --agent claude --out out\n',
      )
      .action((flags: DemoFlags) => runDemoCommand(flags, io));
  },
};

const timeoutMs = 5 * 60_000;

async function runDemoCommand(flags: DemoFlags, io: CliIo): Promise<void> {
  await checkGit();
  checkFlags(flags);
  const place = openThrowaway('ccd-demo-', process, () => reportEnd(flags, io));
  const startedAt = Date.now();
  const onLine = (line: string) => io.stderr(progressLine(line, Date.now() - startedAt, io.isTty));
  const shared = {
    dir: place.dir,
    root: projectRoot,
    cli: process.argv[1]!,
    judge: bundledJudge(process.execPath, import.meta.url),
    timeoutMs,
    onLine,
    beforeClose: (world: World) => (flags.keep ? serveOn(world, place, io) : Promise.resolve()),
  };
  try {
    if (flags.repo !== undefined) await runOwnDemo({ ...shared, flags, repo: flags.repo }, io);
    else await playStories(shared, flags, io);
  } catch (error) {
    throw fullDisk(place.dir, error) ?? error;
  } finally {
    place.remove();
  }
}

/** Options that do not go together are found before anything is made. */
function checkFlags({ repo, spec, out }: DemoFlags): void {
  if (repo !== undefined) return;
  if (spec !== undefined) throw usage('--spec needs --repo.', 'Run with --help for usage.');
  if (out !== undefined) throw usage('--out needs --repo.', 'Run with --help for usage.');
}

async function playStories(
  shared: Omit<DemoOptions, 'agent' | 'variables' | 'secrets' | 'stories'>,
  flags: DemoFlags,
  io: CliIo,
): Promise<void> {
  const scripted = flags.agent === undefined;
  const agent = flags.agent === undefined ? null : await findAgent(flags.agent, io);
  if (scripted)
    shared.onLine(
      'the agent is a script that knows these five issues; it is no model (use --agent claude for the real one)',
    );
  const variables = modelVariables(io);
  const result = await runDemo({
    ...shared,
    agent,
    variables,
    secrets: modelSecrets(io),
    stories: storyNames,
  });
  report(result, flags, scripted, io);
}

/** A signal ended the command: nothing of it is left, and that is said. */
function reportEnd(flags: DemoFlags, io: CliIo): void {
  const message = 'The demonstration was interrupted.';
  const remedy = 'All that it had started and written is gone; run it again.';
  if (flags.json) io.stdout(`${JSON.stringify({ error: { code: 'demo.interrupted', message, remedy } })}\n`);
  io.stderr(`ccd: ${message} ${remedy}\n`);
}

function report(result: DemoResult, flags: DemoFlags, scripted: boolean, io: CliIo): void {
  const { ok, seconds, apiCalls, trunk, tasks, problems } = result;
  if (flags.json) {
    const rows = tasks.map(({ seconds: _seconds, stale: _stale, lost: _lost, ...task }) => task);
    io.stdout(`${JSON.stringify({ ok, seconds, apiCalls, trunk, tasks: rows })}\n`);
    for (const problem of problems) io.stderr(`WRONG: ${problem}\n`);
  } else io.stdout(renderDemo(result, scripted));
  io.setExit(ok ? 0 : 1);
}

async function serveOn(world: World, place: Throwaway, io: CliIo): Promise<void> {
  io.stderr(`Serving on at ${world.github.url}; Ctrl-C ends it.\n`);
  await place.nextSignal();
}

const colours = { landed: 'green', halted: 'red', invalid: 'yellow', lost: 'magenta' } as const;

function progressLine(line: string, ms: number, isTty: boolean): string {
  const time = `${(ms / 1000).toFixed(1).padStart(6)}s`;
  if (!isTty) return `${time}  ${line}\n`;
  const found = Object.entries(colours).find(([word]) => line.includes(` ${word}`));
  return `${styleText('dim', time)}  ${found === undefined ? line : styleText(found[1], line)}\n`;
}
