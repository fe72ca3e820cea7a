import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { CcdError } from '../../domain/errors.ts';
import type { KeyParts } from './item.ts';
import { orderPhases } from './phase-order.ts';
import {
  type PhaseConfig,
  type PipelineConfig,
  type PipelineProblem,
  pipelineProblems,
  pipelineSchema,
} from './pipeline.ts';
import { compileSchema, type ResultSchema } from './result-schema.ts';

/** A phase with everything that its settings name read in. */
export interface Phase extends PhaseConfig {
  readonly promptText: string;
  readonly usedModel: string;
  readonly keyParts: KeyParts;
  /** Null where no schema is asked for: then anything is a result. */
  readonly resultSchema: ResultSchema | null;
  /** Absolute. */
  readonly readablePaths: readonly string[];
}

/** A pipeline file, read and found usable. */
export interface Pipeline extends Omit<PipelineConfig, 'phases'> {
  readonly file: string;
  /** Absolute; paths in the file are relative to the file's folder. */
  readonly folder: string;
  readonly outputFolder: string;
  /** In the order in which they run. */
  readonly phases: readonly Phase[];
}

const longestFile = 8 * 1024 * 1024;

/**
 * Reads a pipeline file (YAML, of which JSON is a part) and all that it names. `target` leaves only that phase and what it needs.
 * Throws CcdError `batch.unreadable` or `batch.pipeline` (operator), which tells everything that is wrong at once.
 */
export async function loadPipeline(file: string, target: string | null): Promise<Pipeline> {
  const parsed = pipelineSchema.safeParse(parseYaml(await readText(file), file));
  if (!parsed.success)
    throw unusable(
      file,
      parsed.error.issues.map(({ path, message }) => ({ at: path.join('.'), message })),
    );
  const config = parsed.data;
  const problems = pipelineProblems(config);
  if (problems.length > 0) throw unusable(file, problems);
  const order = orderPhases(config.phases, target);
  if (order.kind === 'unknown')
    throw unusable(file, [{ at: 'phases', message: `there is no phase "${order.name}"` }]);
  if (order.kind === 'cycle')
    throw unusable(file, [
      { at: 'phases', message: `they wait for one another: ${order.names.join(' → ')}` },
    ]);
  const folder = dirname(file);
  const phases: Phase[] = [];
  for (const phase of order.phases) phases.push(await loadPhase(phase, config, file));
  return { ...config, file, folder, outputFolder: resolve(folder, config.output), phases };
}

async function loadPhase(phase: PhaseConfig, config: PipelineConfig, file: string): Promise<Phase> {
  const folder = dirname(file);
  const promptText = phase.prompt ?? (await readText(resolve(folder, phase.prompt_file ?? '')));
  const usedModel = phase.model ?? config.model;
  const schema = phase.schema === undefined ? null : await readSchema(resolve(folder, phase.schema));
  return {
    ...phase,
    promptText,
    usedModel,
    keyParts: { prompt: promptText, model: usedModel, schema },
    resultSchema: schema === null ? null : compiled(schema, phase, file),
    readablePaths: phase.readable.map((path) => resolve(folder, path)),
  };
}

function compiled(schema: unknown, phase: PhaseConfig, file: string): ResultSchema {
  const outcome = compileSchema(schema, phase.result_key);
  if (outcome.kind === 'compiled') return outcome.schema;
  throw unusable(file, [
    { at: `phases.${phase.name}.schema`, message: `${phase.schema} cannot be used: ${outcome.reason}` },
  ]);
}

async function readSchema(path: string): Promise<unknown> {
  return parseYaml(await readText(path), path);
}

/** Text of a file that a person named. */
export async function readText(path: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readRegular(path);
  } catch (cause) {
    if (cause instanceof CcdError) throw cause;
    throw unreadable(path, (cause as NodeJS.ErrnoException).code ?? 'unknown reason', cause);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw unreadable(path, 'it is not UTF-8', cause);
  }
}

/** A pipe would hold us for ever, and a device has no end. */
async function readRegular(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw unreadable(path, 'it is no regular file');
    if (stat.size > longestFile) throw unreadable(path, `it is larger than ${longestFile} bytes`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100 });
  } catch (cause) {
    const [first = ''] = (cause as Error).message.split('\n');
    throw unusable(file, [{ at: '', message: first.replace(/[:.]+$/, '') }], cause);
  }
}

export function unreadable(path: string, why: string, cause?: unknown): CcdError {
  return new CcdError({
    code: 'batch.unreadable',
    message: `${path} cannot be read (${why}).`,
    remedy: 'Paths in a pipeline file are relative to the folder that it lies in.',
    audience: 'operator',
    cause,
  });
}

function unusable(file: string, problems: readonly PipelineProblem[], cause?: unknown): CcdError {
  const said = problems.map(({ at, message }) => (at === '' ? message : `${at}: ${message}`));
  return new CcdError({
    code: 'batch.pipeline',
    message: `${file} cannot be used: ${said.join('; ')}.`,
    remedy: 'The keys stand in docs/batch.md.',
    audience: 'operator',
    cause,
  });
}
