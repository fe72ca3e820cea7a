import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { createSteadyClock } from '../../host/clock.ts';
import { randomIds } from '../../host/ids.ts';
import type { BatchEvent } from '../../worker/batch/batch-event.ts';
import { type BatchJob, batchTimes } from '../../worker/batch/batch-job.ts';
import { openEventFile } from '../../worker/batch/event-file.ts';
import { loadPipeline, type Pipeline } from '../../worker/batch/load-pipeline.ts';
import { openModel } from '../../worker/batch/open-model.ts';
import type { PipelineEnd } from '../../worker/batch/pipeline-end.ts';
import { runPipeline } from '../../worker/batch/run-pipeline.ts';
import { runSettings } from '../../worker/batch/run-settings.ts';
import { type BatchSignals, listenForSignals } from '../batch/batch-signals.ts';
import { liveWatcher, plainWatcher } from '../batch/live-view.ts';
import { endDocument, renderEnd } from '../batch/render-end.ts';
import type { CliCommand, CliIo } from '../command.ts';
import { findAgent } from '../find-agent.ts';
import { usage } from '../usage.ts';

interface BatchFlags {
  readonly phase?: string;
  readonly workers?: string;
  readonly maxConcurrent?: string;
  readonly budget?: string;
  readonly runBudget?: string;
  readonly force?: boolean;
  readonly agent: string;
  readonly events?: string;
  readonly ephemeral?: boolean;
  readonly json?: boolean;
}

/**
 * `ccd batch <pipeline>`: the agent works through lists of items. Exit 0 all done, 1 something was not finished, 2 usage, 64 budget,
 * 65 circuit breaker (64 before 65 before 1), 128 + the number of a signal.
 */
export const batchCommand: CliCommand = {
  name: 'batch',
  register: (program: Command, io: CliIo) => {
    program
      .command('batch')
      .description(
        'Let the agent work through lists of items, in phases; run again, it goes on where it ended.',
      )
      .argument('<pipeline>', 'the pipeline file, YAML or JSON')
      .option('--phase <name>', 'only this phase and those that it needs')
      .option(
        '--workers <n>',
        'number of workers, each with its own queue (default: of the pipeline, else 4)',
      )
      .option(
        '--max-concurrent <n>',
        'agents that run at the same time, at most (default: of the pipeline, else 8)',
      )
      .option(
        '--budget <usd>',
        'dollars that EACH phase may spend, not the run (default: of the pipeline, else 50)',
      )
      .option(
        '--run-budget <usd>',
        'dollars that the whole run may spend (default: of the pipeline, else no cap)',
      )
      .option(
        '--force',
        'delete what earlier runs left of the phase (with --phase: of that one alone) and do it again',
      )
      .option('--agent <executable>', 'an executable with the arguments of `claude`', 'claude')
      .option(
        '--events <file>',
        'where the events go, one JSON document a line (default: events.ndjson in the output folder)',
      )
      .option(
        '--ephemeral',
        'this machine is thrown away afterwards: weaker isolation is accepted where the pipeline allows it',
      )
      .option('--json', 'print the outcome as one JSON document')
      .addHelpText(
        'after',
        '\nExamples:\n  ccd batch fixtures/batch/audit.yml --agent claude\n  ccd batch audit.yml --phase verify --budget 5 --json\n',
      )
      .action((file: string, flags: BatchFlags) => runBatchCommand(file, flags, io));
  },
};

async function runBatchCommand(file: string, flags: BatchFlags, io: CliIo): Promise<void> {
  const pipeline = await loadPipeline(resolve(io.cwd, file), flags.phase ?? null);
  const settings = runSettings(pipeline, flags);
  const agent = await realpath(await findAgent(flags.agent, withKey(io)));
  const job: BatchJob = {
    pipeline,
    ...settings,
    forced: forcedPhases(pipeline, flags),
    program: agent,
    ephemeral: flags.ephemeral === true,
    environment: io.env,
    agentEnvironment: {},
    readable: [],
    hidden: [],
    tempFolder: io.env.TMPDIR || tmpdir(),
    times: batchTimes,
  };
  const signals = listenForSignals(process, (text) => io.stderr(text));
  const watcher = io.isTty
    ? liveWatcher(
        (text) => io.stderr(text),
        () => process.stderr.columns ?? 100,
        () => performance.now(),
      )
    : plainWatcher((text) => io.stderr(text));
  const record = openEventFile(
    flags.events === undefined ? join(pipeline.outputFolder, 'events.ndjson') : resolve(io.cwd, flags.events),
    steady.now,
    (reason) => io.stderr(`Warning: the events cannot be written (${reason}).\n`),
  );
  const tell = (event: BatchEvent) => {
    record(event);
    watcher.show(event);
  };
  try {
    for (const message of settings.warnings) tell({ type: 'warning', phase: null, message });
    const end = await withModel(job, tell, signals, io);
    watcher.close();
    const exitCode = end.state === 'interrupted' ? (signals.exitCode() ?? end.exitCode) : end.exitCode;
    const { outputFolder } = pipeline;
    io.stdout(
      flags.json === true
        ? `${JSON.stringify(endDocument(end, outputFolder, exitCode))}\n`
        : renderEnd(end, outputFolder),
    );
    io.setExit(exitCode);
  } finally {
    signals.close();
  }
}

const steady = createSteadyClock();

async function withModel(
  job: BatchJob,
  tell: (event: BatchEvent) => void,
  { stop, killNow }: BatchSignals,
  io: CliIo,
): Promise<PipelineEnd> {
  const settings = {
    modelUrl: modelUrl(io),
    modelKeys: io.env.ANTHROPIC_API_KEY ?? '',
    upstream: io.env.CCD_MODEL_UPSTREAM ?? '',
    machineFolder: io.env.CCD_MACHINE_FOLDER || null,
  };
  const warn = (message: string) => tell({ type: 'warning', phase: null, message });
  const model = await openModel(settings, io.env, steady, warn);
  try {
    return await runPipeline(job, {
      clock: steady,
      ids: randomIds,
      random: Math.random,
      model,
      tell,
      stop,
      killNow,
    });
  } finally {
    await model.access.close();
  }
}

/** claude needs no key of its own where another service is behind the gateway. */
function withKey(io: CliIo): CliIo {
  const isElsewhere = (io.env.CCD_MODEL_UPSTREAM ?? '') !== '';
  return isElsewhere ? { ...io, env: { ...io.env, ANTHROPIC_API_KEY: 'not-asked-for' } } : io;
}

function forcedPhases(pipeline: Pipeline, { force, phase }: BatchFlags): ReadonlySet<string> {
  if (force !== true) return new Set();
  return new Set(phase === undefined ? pipeline.phases.map(({ name }) => name) : [phase]);
}

function modelUrl({ env }: CliIo): URL {
  const text = env.ANTHROPIC_BASE_URL || 'https://api.anthropic.com';
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw usage(
    'ANTHROPIC_BASE_URL is no address.',
    'Set it to the address of the Messages API, or leave it away.',
  );
}
