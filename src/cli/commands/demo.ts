import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import type { Command } from 'commander';
import { CcdError } from '../../domain/errors.ts';
import { checkGit } from '../../git/check-git.ts';
import type { CliCommand, CliIo } from '../command.ts';
import { type DemoFlags, modelSecrets, modelVariables } from '../demo/demo-flags.ts';
import { runOwnDemo } from '../demo/own-demo.ts';
import { renderDemo } from '../demo/render-demo.ts';
import { type DemoResult, runDemo } from '../demo/run-demo.ts';
import { storyNames } from '../demo/stories.ts';
import type { World } from '../demo/world.ts';
import { bundledJudge } from '../judge-command.ts';
import { projectRoot } from '../project-root.ts';

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
      .option('--out <dir>', 'with --repo: where the bundle and the patch go', 'ccd-out')
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
  if (flags.repo === undefined && flags.spec !== undefined) throw usage('--spec needs --repo.');
  const dir = await mkdtemp(join(tmpdir(), 'ccd-demo-'));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
  const startedAt = Date.now();
  const onLine = (line: string) => io.stderr(progressLine(line, Date.now() - startedAt, io.isTty));
  const judge = bundledJudge(process.execPath, import.meta.url);
  const cli = process.argv[1]!;
  const keep = (world: World) => (flags.keep ? waitForEnd(world, stop.signal, io) : Promise.resolve());
  const shared = {
    dir,
    root: projectRoot,
    cli,
    judge,
    timeoutMs,
    signal: stop.signal,
    onLine,
    beforeClose: keep,
  };
  try {
    if (flags.repo !== undefined) {
      await runOwnDemo({ ...shared, flags, repo: flags.repo }, io);
      return;
    }
    const scripted = flags.agent === undefined;
    if (scripted)
      onLine(
        'the agent is a script that knows these five issues; it is no model (use --agent claude for the real one)',
      );
    const result = await runDemo({
      ...shared,
      agent: flags.agent ?? null,
      variables: modelVariables(io),
      secrets: modelSecrets(io),
      stories: storyNames,
    });
    report(result, flags, scripted, io);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function report(result: DemoResult, flags: DemoFlags, scripted: boolean, io: CliIo): void {
  const { ok, seconds, apiCalls, trunk, tasks, problems } = result;
  if (flags.json) {
    const rows = tasks.map(({ seconds: _seconds, stale: _stale, ...task }) => task);
    io.stdout(`${JSON.stringify({ ok, seconds, apiCalls, trunk, tasks: rows })}\n`);
    for (const problem of problems) io.stderr(`WRONG: ${problem}\n`);
  } else io.stdout(renderDemo(result, scripted));
  io.setExit(ok ? 0 : 1);
}

async function waitForEnd(world: World, signal: AbortSignal, io: CliIo): Promise<void> {
  io.stderr(`Serving on at ${world.github.url}; Ctrl-C ends it.\n`);
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

const colours = { landed: 'green', halted: 'red', invalid: 'yellow', lost: 'magenta' } as const;

function progressLine(line: string, ms: number, isTty: boolean): string {
  const time = `${(ms / 1000).toFixed(1).padStart(6)}s`;
  if (!isTty) return `${time}  ${line}\n`;
  const found = Object.entries(colours).find(([word]) => line.includes(` ${word}`));
  return `${styleText('dim', time)}  ${found === undefined ? line : styleText(found[1], line)}\n`;
}

function usage(message: string): CcdError {
  return new CcdError({
    code: 'cli.usage',
    message,
    remedy: 'Run with --help for usage.',
    audience: 'operator',
  });
}
