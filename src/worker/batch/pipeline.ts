import { z } from 'zod';

const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,49}$/, 'lower-case letters, digits and hyphens only');
const field = z.string().min(1).max(100);
const path = z.string().min(1).max(1000);
const wholeFrom1 = z.number().int().min(1);
const dollars = z.number().min(0).max(100_000);
const model = z.string().regex(/^[\w.:@/[\]-]{1,200}$/, 'the full id of a model');

/** Where items come from: files (a path or a glob, relative to the pipeline file), or the results of an earlier phase. */
const inputSchema = z.union([
  z.strictObject({
    files: path,
    /** Field of each file that holds its list; without it the file is the list, or one item a line. */
    key: field.optional(),
  }),
  z.strictObject({ phase: name }),
]);
export type InputSource = z.infer<typeof inputSchema>;

const batchSchema = z.union([
  z.strictObject({ size: wholeFrom1.max(1000) }),
  z.strictObject({ tokens: wholeFrom1.max(1_000_000) }),
]);
export type BatchStrategy = z.infer<typeof batchSchema>;

const severitySchema = z.strictObject({
  field,
  at_least: z.string().toLowerCase(),
  /** Lowest first. */
  order: z
    .array(z.string().toLowerCase())
    .min(1)
    .default(['informational', 'low', 'medium', 'high', 'critical']),
});
export type SeverityGate = z.infer<typeof severitySchema>;

/** Zero is no way to switch a threshold off: it would be taken for "never" or for "at once". */
const breakerSchema = z.strictObject({
  failures: wholeFrom1.default(5),
  retries: wholeFrom1.default(20),
  empty: wholeFrom1.default(3),
});

export const phaseSchema = z.strictObject({
  name,
  prompt: z.string().min(1).max(500_000).optional(),
  prompt_file: path.optional(),
  input: inputSchema,
  depends_on: z.array(name).default([]),
  item_id: field.default('id'),
  /** The fields of an item that the agent sees; all unless given. */
  fields: z.array(field).min(1).optional(),
  min_severity: severitySchema.optional(),
  result_key: field
    .refine((key) => key !== 'metadata' && key !== 'version', 'this name is taken by the partial itself')
    .default('results'),
  result_id: field.optional(),
  /** Field of a result that names its item; needed where a batch has more than one. */
  result_item: field.optional(),
  /** The fields of a result that are kept; all unless given. */
  output_fields: z.array(field).min(1).optional(),
  batch: batchSchema.default({ size: 1 }),
  /** File with the JSON Schema of one result. */
  schema: path.optional(),
  model: model.optional(),
  tools: z.array(z.string().min(1).max(200)).default(['Read', 'Glob', 'Grep']),
  mcp_servers: z.record(z.string().regex(/^[\w-]{1,60}$/), z.looseObject({})).default({}),
  max_turns: wholeFrom1.max(10_000).default(40),
  timeout_seconds: wholeFrom1.max(86_400).default(3600),
  silence_seconds: wholeFrom1.max(86_400).default(600),
  /** Dollars for this phase; 0 switches the cap off. */
  budget: dollars.optional(),
  breaker: breakerSchema.default({ failures: 5, retries: 20, empty: 3 }),
  /** Tokens read from the cache in this phase that trip the breaker when there are more; 0 switches the guard off. */
  cache_read_guard: z.number().int().min(0).default(0),
  /** What items that were not finished mean for the phases after this one. */
  on_unfinished: z.enum(['stop', 'continue']).default('stop'),
  /** Files and folders that the agent may read besides the system's own. */
  readable: z.array(path).default([]),
});
export type PhaseConfig = z.infer<typeof phaseSchema>;

/** A pipeline file, as it is written. Keys that it does not know are refused by name. */
export const pipelineSchema = z.strictObject({
  version: z.literal(1),
  name,
  output: path.default('out'),
  model,
  /** Numbers below 1 are lifted to 1, with a warning. */
  workers: z.number().int().default(4),
  max_concurrent: z.number().int().default(8),
  /** Dollars that EACH phase may spend, not the run; 0 switches the cap off. */
  budget: dollars.default(50),
  /** Dollars that the whole run may spend. */
  run_budget: dollars.optional(),
  isolation: z.enum(['sandbox', 'pid-namespace', 'none']).default('pid-namespace'),
  phases: z.array(phaseSchema).min(1).max(100),
});
export type PipelineConfig = z.infer<typeof pipelineSchema>;

/** What is wrong with a pipeline: where, and a sentence. */
export interface PipelineProblem {
  readonly at: string;
  readonly message: string;
}

/** What the schema cannot say: names that mean nothing, settings that do not go together. Empty when all is well. */
export function pipelineProblems(pipeline: PipelineConfig): PipelineProblem[] {
  const names = pipeline.phases.map((phase) => phase.name);
  const problems = pipeline.phases.flatMap((phase, index) =>
    phaseProblems(phase, names).map(({ at, message }) => ({ at: `phases.${index}.${at}`, message })),
  );
  for (const [index, one] of names.entries())
    if (names.indexOf(one) !== index)
      problems.push({ at: `phases.${index}.name`, message: `there are two phases "${one}"` });
  return problems;
}

function phaseProblems(phase: PhaseConfig, names: readonly string[]): PipelineProblem[] {
  const problems: PipelineProblem[] = [];
  if ((phase.prompt === undefined) === (phase.prompt_file === undefined))
    problems.push({ at: 'prompt', message: 'exactly one of prompt and prompt_file is needed' });
  for (const other of dependenciesOf(phase))
    if (!names.includes(other)) problems.push({ at: 'depends_on', message: `there is no phase "${other}"` });
  if (canHoldSeveral(phase) && phase.result_item === undefined)
    problems.push({
      at: 'result_item',
      message: 'a batch may hold several items: name the field of a result that tells which one it is of',
    });
  if (phase.min_severity !== undefined && !phase.min_severity.order.includes(phase.min_severity.at_least))
    problems.push({ at: 'min_severity.at_least', message: 'it is not in the order' });
  return problems;
}

export function canHoldSeveral({ batch }: Pick<PhaseConfig, 'batch'>): boolean {
  return 'tokens' in batch || batch.size > 1;
}

/** Names of the phases that have to be done before this one. */
export function dependenciesOf(phase: Pick<PhaseConfig, 'input' | 'depends_on'>): string[] {
  const own = 'phase' in phase.input ? [phase.input.phase] : [];
  return [...new Set([...own, ...phase.depends_on])];
}
