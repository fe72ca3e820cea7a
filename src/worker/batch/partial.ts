import { z } from 'zod';
import { digestSchema } from '../../domain/digest.ts';

/** What became of one item in a batch. Only `done` counts as processed. */
export const itemStatusSchema = z.enum(['done', 'empty', 'max-turns', 'failed', 'interrupted']);
export type ItemStatus = z.infer<typeof itemStatusSchema>;

const index = z.number().int().min(0);

export const itemRecordSchema = z.object({
  /** The INPUT item's id. */
  id: z.string().min(1),
  named: z.boolean(),
  key: digestSchema,
  status: itemStatusSchema,
  /** Which results of the list are of this item. */
  results: z.array(index),
});
export type ItemRecord = z.infer<typeof itemRecordSchema>;

/** A result that does not fit its schema: kept here, and not taken over by what comes next. */
const invalidResultSchema = z.object({ index, reason: z.string() });
export type InvalidResult = z.infer<typeof invalidResultSchema>;

const metadataSchema = z.object({
  phase: z.string(),
  worker_id: index,
  batch_index: index,
  item_count: index,
  timestamp: z.string(),
  processed_ids: z.array(z.string()),
  /** Absent in a partial that another program or a person wrote. */
  items: z.array(itemRecordSchema).optional(),
  invalid: z.array(invalidResultSchema).default([]),
  /** How the batch ended, in the words of docs/worker.md. */
  reason: z.string().default('completed'),
  /** Runs of the agent that it took. */
  attempts: index.default(0),
  max_turns: index.default(0),
  model: z.string().nullable().default(null),
  micro_usd: index.nullable().default(null),
  estimated: z.boolean().default(false),
});
export type PartialMetadata = z.infer<typeof metadataSchema>;

/** Version of the envelope. */
const partialVersion = 1;

/** What one batch left behind, as it is read back. */
export interface Partial {
  readonly metadata: PartialMetadata;
  readonly results: readonly unknown[];
}

/** The envelope as JSON text: version, the results under the phase's key, then what is known about them. */
export function partialText(resultKey: string, { metadata, results }: Partial): string {
  return `${JSON.stringify({ version: partialVersion, [resultKey]: results, metadata }, null, 2)}\n`;
}

export type ReadPartial =
  | { readonly kind: 'partial'; readonly partial: Partial }
  | { readonly kind: 'corrupt'; readonly reason: string }
  /** Written by a later version of ccd, whose meaning is not known here. */
  | { readonly kind: 'newer'; readonly version: number };

/** Reads an envelope. What is cut, no JSON or lacks something is corrupt, with the reason; never an error. */
export function readPartial(text: string, resultKey: string): ReadPartial {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return corrupt('it is no JSON object');
  const envelope = value as Record<string, unknown>;
  const { version = partialVersion } = envelope;
  if (typeof version === 'number' && version > partialVersion) return { kind: 'newer', version };
  const results = envelope[resultKey];
  if (!Array.isArray(results)) return corrupt(`it holds no list "${resultKey}"`);
  const metadata = metadataSchema.safeParse(envelope.metadata);
  if (!metadata.success) return corrupt(`metadata.${metadata.error.issues[0]?.path.join('.') ?? ''}`);
  const beyond = metadata.data.items?.find((item) => item.results.some((at) => at >= results.length));
  if (beyond !== undefined) return corrupt(`the results of ${JSON.stringify(beyond.id)} are not there`);
  return { kind: 'partial', partial: { metadata: metadata.data, results } };
}

const corrupt = (reason: string): ReadPartial => ({ kind: 'corrupt', reason });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface PartialName {
  readonly phase: string;
  readonly worker: number;
  readonly batch: number;
  /** Milliseconds since the epoch, raised where needed so that a later partial always has a higher one. */
  readonly epoch: number;
}

export function partialName({ phase, worker, batch, epoch }: PartialName): string {
  return `${phase}_PARTIAL_W${worker}B${batch}_${epoch}.json`;
}

/** Null for a file that is no partial. */
export function parsePartialName(file: string): PartialName | null {
  const match = /^([a-z0-9][a-z0-9-]*)_PARTIAL_W(\d+)B(\d+)_(\d{1,15})\.json$/.exec(file);
  if (match === null) return null;
  const [, phase = '', worker, batch, epoch] = match;
  return { phase, worker: Number(worker), batch: Number(batch), epoch: Number(epoch) };
}
