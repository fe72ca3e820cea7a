import { z } from 'zod';

const patterns = z
  .union([z.string(), z.array(z.union([z.string(), z.number()]))])
  .transform((value) => [value].flat().map(String));

const filter = z.object({
  branches: patterns.optional(),
  'branches-ignore': patterns.optional(),
  tags: patterns.optional(),
  'tags-ignore': patterns.optional(),
  paths: patterns.optional(),
  'paths-ignore': patterns.optional(),
  types: patterns.optional(),
});

const inputDefinition = z.object({
  description: z.string().optional(),
  required: z.boolean().default(false),
  type: z.enum(['string', 'choice', 'boolean', 'number', 'environment']).default('string'),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
  options: patterns.optional(),
});

const callInput = z.object({
  description: z.string().optional(),
  required: z.boolean().default(false),
  type: z.enum(['string', 'boolean', 'number']),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
});

const orEmpty = <Schema extends z.ZodType>(schema: Schema) => z.preprocess((value) => value ?? {}, schema);

/** What another workflow may hand in, and what it gets back. */
const call = z.object({
  inputs: orEmpty(z.record(z.string(), callInput)).optional(),
  outputs: orEmpty(
    z.record(z.string(), z.object({ description: z.string().optional(), value: z.string() })),
  ).optional(),
  secrets: orEmpty(
    z.record(z.string(), orEmpty(z.object({ required: z.boolean().default(false) }).loose())),
  ).optional(),
});

const served = z.object({
  push: orEmpty(filter).optional(),
  pull_request: orEmpty(filter).optional(),
  pull_request_target: orEmpty(filter).optional(),
  workflow_run: orEmpty(filter.extend({ workflows: patterns.optional() })).optional(),
  repository_dispatch: orEmpty(filter).optional(),
  check_run: orEmpty(filter).optional(),
  issues: orEmpty(filter).optional(),
  issue_comment: orEmpty(filter).optional(),
  workflow_call: orEmpty(call).optional(),
  workflow_dispatch: orEmpty(
    z.object({ inputs: orEmpty(z.record(z.string(), orEmpty(inputDefinition))).optional() }),
  ).optional(),
  schedule: z.array(z.object({ cron: z.string(), timezone: z.string().optional() })).optional(),
});

export type EventFilter = z.infer<typeof filter>;
export type CallDefinition = z.infer<typeof call>;
export type InputDefinition = z.infer<typeof inputDefinition>;
export type Triggers = z.infer<typeof served> & {
  /** Events the file names and the local GitHub never fires. */
  readonly unserved: readonly string[];
};

/** Reads `on:` in its three forms: a name, a list of names, a mapping. Throws a zod error on any other shape. */
export function readTriggers(on: unknown): Triggers {
  const entries =
    typeof on === 'string'
      ? { [on]: null }
      : Array.isArray(on)
        ? Object.fromEntries(on.map((name) => [String(name), null]))
        : z.record(z.string(), z.unknown()).parse(on);
  const present = Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, value ?? {}]));
  if (typeof on !== 'object' || Array.isArray(on)) delete present.schedule;
  const unserved = Object.keys(entries).filter((name) => !Object.keys(served.shape).includes(name));
  return { ...served.parse(present), unserved };
}
