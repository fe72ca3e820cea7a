import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { CcdError } from '../domain/errors.ts';
import { type Clock, createSteadyClock } from '../host/clock.ts';
import { randomIds } from '../host/ids.ts';
import { createLog, type Log } from '../host/log.ts';
import { createRedactor } from '../host/redact.ts';
import type { ArtifactStore } from '../worker/artifact-store.ts';
import type { BatchEvent } from '../worker/batch/batch-event.ts';
import { type BatchJob, batchTimes } from '../worker/batch/batch-job.ts';
import { openEventFile } from '../worker/batch/event-file.ts';
import { loadPipeline, type Pipeline } from '../worker/batch/load-pipeline.ts';
import { openModel } from '../worker/batch/open-model.ts';
import type { PipelineEnd } from '../worker/batch/pipeline-end.ts';
import { runPipeline } from '../worker/batch/run-pipeline.ts';
import { runSettings } from '../worker/batch/run-settings.ts';
import { eventText } from '../worker/batch/run-view.ts';
import { batchSummary } from './batch-summary.ts';
import { findProgram } from './find-program.ts';
import { partialUploads } from './partial-uploads.ts';

/** Inputs of the action for `command: batch`, as texts; empty where the workflow gives none. */
export interface BatchInputs {
  /** Path of the pipeline file, from the job's folder. */
  readonly pipeline: string;
  readonly phase: string;
  readonly workers: string;
  readonly maxConcurrent: string;
  readonly budget: string;
  readonly runBudget: string;
  readonly force: boolean;
  readonly claude: string;
  readonly modelUrl: string;
  readonly modelKey: string;
  readonly modelUpstream: string;
  readonly machineFolder: string;
  readonly ephemeral: boolean;
}

export interface BatchIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly artifacts: ArtifactStore;
  readonly stop: AbortSignal;
  readonly killNow: AbortSignal;
  readonly writeLog: (line: string) => void;
  readonly clock?: Clock;
}

export interface BatchCommandEnd {
  readonly state: PipelineEnd['state'];
  /** 0, 1, 64 or 65; 130 when the job was cancelled. */
  readonly exitCode: number;
}

const inputSchema = z.object({
  pipeline: z.string().min(1),
  claude: z.string().min(1),
  modelUrl: z.url({ protocol: /^https?$/ }),
});

/**
 * Body of `command: batch`: runs a pipeline in the job's folder, hands its partials to the run's artifacts while it goes on, and writes
 * the step's summary. Throws CcdError `action.input`, or what the pipeline cannot be run for (operator).
 */
export async function runBatchCommand(inputs: BatchInputs, io: BatchIo): Promise<BatchCommandEnd> {
  const parsed = inputSchema.safeParse(inputs);
  if (!parsed.success) throw badInput(parsed.error.issues.map((issue) => issue.path.join('.')));
  const clock = io.clock ?? createSteadyClock();
  const redactor = createRedactor([inputs.modelKey, io.env.ACTIONS_RUNTIME_TOKEN ?? '']);
  const log = createLog(io.writeLog, clock.now, redactor.clean);
  const pipeline = await loadPipeline(resolve(io.cwd, inputs.pipeline), inputs.phase || null);
  const settings = runSettings(pipeline, inputs);
  for (const message of settings.warnings) log.warn(message);
  const job: BatchJob = {
    pipeline,
    ...settings,
    forced: new Set(
      inputs.force ? (inputs.phase === '' ? pipeline.phases.map(({ name }) => name) : [inputs.phase]) : [],
    ),
    program: findProgram(inputs.claude, io.env.PATH ?? ''),
    ephemeral: inputs.ephemeral,
    environment: io.env,
    agentEnvironment: {},
    readable: [],
    hidden: [],
    tempFolder: io.env.RUNNER_TEMP ?? pipeline.outputFolder,
    times: batchTimes,
  };
  const end = await runWatched(job, inputs, io, { clock, log });
  await writeSummary(batchSummary(pipeline.name, end), io.env.GITHUB_STEP_SUMMARY, log);
  return { state: end.state, exitCode: end.state === 'interrupted' ? 130 : end.exitCode };
}

async function runWatched(
  job: BatchJob,
  inputs: BatchInputs,
  io: BatchIo,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<PipelineEnd> {
  const { pipeline } = job;
  // Numbered names, and a word that another step, job or attempt of this run does not have.
  const name = `ccd-batch-${pipeline.name}-${randomIds.marker().slice(0, 6)}`;
  const uploads = partialUploads(io.artifacts, pipeline.outputFolder, name, clock);
  const record = openEventFile(join(pipeline.outputFolder, 'events.ndjson'), clock.now, (reason) =>
    log.warn('the events cannot be written', { reason }),
  );
  const tell = (event: BatchEvent) => {
    record(event);
    const line = eventText(event);
    if (line !== null) log.info(line);
    if (event.type === 'batch-finished' && event.file !== null) uploads.add(event.file);
  };
  const settings = {
    modelUrl: new URL(inputs.modelUrl),
    modelKeys: inputs.modelKey,
    upstream: inputs.modelUpstream,
    machineFolder: inputs.machineFolder || null,
  };
  const model = await openModel(settings, io.env, clock, (message) => log.warn(message));
  const { stop, killNow } = io;
  const tools = { clock, ids: randomIds, random: Math.random, model, tell, stop, killNow };
  try {
    return await runPipeline(job, tools);
  } finally {
    await model.access.close();
    if (!(await uploads.finish(leftOver(pipeline))))
      log.error('not all partials could be uploaded; they are in the output folder', {
        folder: pipeline.outputFolder,
      });
  }
}

/** What is not a partial and belongs to them. */
function leftOver({ phases, outputFolder }: Pipeline): string[] {
  const names = [...phases.map(({ name }) => `${name}_RESULTS.json`), 'events.ndjson'];
  return names.filter((name) => existsSync(join(outputFolder, name)));
}

/** A summary that cannot be written changes nothing about the run. */
async function writeSummary(text: string, file: string | undefined, log: Log): Promise<void> {
  if (file === undefined || file === '') return;
  try {
    await appendFile(file, text);
  } catch (error) {
    log.warn('the summary cannot be written', { reason: (error as NodeJS.ErrnoException).code ?? 'unknown' });
  }
}

function badInput(names: readonly string[]): CcdError {
  return new CcdError({
    code: 'action.input',
    message: `Inputs of the action cannot be used: ${names.join(', ')}.`,
    remedy: 'The inputs of `command: batch` stand in docs/batch.md.',
    audience: 'operator',
  });
}
