import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CcdError } from '../../domain/errors.ts';
import { readRegularFile } from '../../facts/read-regular-file.ts';
import { writeFileAtomic } from '../../host/files.ts';
import type { BatchJob } from './batch-job.ts';
import { idOf, type ReadItems, readItems } from './item.ts';
import type { Phase, Pipeline } from './load-pipeline.ts';
import type { OpenedModel } from './open-model.ts';
import type { PartialStore } from './partial-store.ts';
import { readValues } from './read-values.ts';

/** Makes the output folder and returns its real path. */
export async function makeOutputFolder(pipeline: Pipeline): Promise<string> {
  await mkdir(pipeline.outputFolder, { recursive: true });
  return realpath(pipeline.outputFolder);
}

/**
 * Looks at all that would end the run later: a key that is missing, input files that cannot be read, ids that stand for two items, an
 * output folder of another pipeline or of a later version. Throws CcdError (operator) with the first that is found. Returns the items of
 * the phases whose input is files, by phase.
 */
export async function preflight(
  job: BatchJob,
  model: OpenedModel,
  store: PartialStore,
): Promise<ReadonlyMap<string, ReadItems>> {
  const { pipeline } = job;
  checkKey(model);
  await checkOwner(pipeline, job.forced.size > 0);
  const found = new Map<string, ReadItems>();
  for (const phase of pipeline.phases) {
    await checkPartials(phase, store, job.forced.has(phase.name));
    if (!('files' in phase.input)) continue;
    const { values } = await readValues(phase.input.files, phase.input.key, pipeline.folder);
    const items = readItems(values, phase, phase.keyParts);
    checkIds(phase, values, items);
    found.set(phase.name, items);
  }
  return found;
}

function checkKey({ lacksKey }: OpenedModel): void {
  if (!lacksKey) return;
  throw new CcdError({
    code: 'batch.no-key',
    message: 'There is no key for the model.',
    remedy: 'Set ANTHROPIC_API_KEY; a login of yours is not seen in the sandbox.',
    audience: 'operator',
  });
}

const ownerSchema = z.object({ version: z.literal(1), pipeline: z.string() });

/** An output folder belongs to one pipeline: phases of two with the same name would take each other's results for their own. */
async function checkOwner({ outputFolder, name }: Pipeline, force: boolean): Promise<void> {
  const path = join(outputFolder, '.ccd-batch.json');
  const text = await readRegularFile(path, 100_000);
  const owner = text === null ? null : ownerOf(text);
  if (owner === `pipeline ${JSON.stringify(name)}`) return;
  if (owner !== null && !force)
    throw stale(`${outputFolder} holds results of ${owner}.`, 'Name another output folder, or use --force.');
  await writeFileAtomic(path, `${JSON.stringify({ version: 1, pipeline: name })}\n`);
}

function ownerOf(text: string): string {
  try {
    const parsed = ownerSchema.safeParse(JSON.parse(text));
    return parsed.success ? `pipeline ${JSON.stringify(parsed.data.pipeline)}` : 'another version of ccd';
  } catch {
    return 'nobody knows whom';
  }
}

async function checkPartials(phase: Phase, store: PartialStore, force: boolean): Promise<void> {
  if (force) return;
  const { newer } = await store.read(phase.name, phase.result_key);
  const [first] = newer;
  if (first !== undefined)
    throw stale(
      `${first} was written by a later version of ccd (${newer.length} such files).`,
      'Go on with that version, or use --force, which does the phase again.',
    );
}

function stale(message: string, remedy: string): CcdError {
  return new CcdError({ code: 'batch.stale', message, remedy, audience: 'operator' });
}

function checkIds(phase: Phase, values: readonly unknown[], { ambiguous }: ReadItems): void {
  const [first] = ambiguous;
  if (first === undefined) return;
  const times = values.filter((value) => idOf(value, phase.item_id) === first).length;
  throw new CcdError({
    code: 'batch.input',
    message: `In the input of phase ${phase.name} the id ${JSON.stringify(first.slice(0, 200))} stands for ${times} items that differ (${ambiguous.length} such ids).`,
    remedy: 'Name with item_id a field that tells items apart.',
    audience: 'operator',
  });
}
