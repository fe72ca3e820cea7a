import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { type StepBody, stepsSchema } from './schema.ts';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const inputs = z.record(
  z.string(),
  z.preprocess(
    (value) => value ?? {},
    z.object({ required: z.boolean().default(false), default: scalar.optional() }),
  ),
);
const outputs = z.record(
  z.string(),
  z.preprocess((value) => value ?? {}, z.object({ value: scalar.optional() })),
);
const nodeRuns = z.strictObject({
  using: z.enum(['node12', 'node16', 'node20', 'node24']),
  main: z.string(),
  pre: z.string().optional(),
  'pre-if': z.string().optional(),
  post: z.string().optional(),
  'post-if': z.string().optional(),
});
const compositeRuns = z.strictObject({ using: z.literal('composite'), steps: stepsSchema });
const manifest = z.object({
  name: z.string().optional(),
  inputs: z.preprocess((value) => value ?? {}, inputs),
  outputs: z.preprocess((value) => value ?? {}, outputs),
  runs: z.object({ using: z.string() }).loose(),
});

export type NodeRuns = z.infer<typeof nodeRuns>;
export interface ActionManifest {
  readonly name: string;
  readonly inputs: z.infer<typeof inputs>;
  readonly outputs: z.infer<typeof outputs>;
  readonly runs: NodeRuns | { readonly using: 'composite'; readonly steps: readonly StepBody[] };
}

/** A manifest read, or the reason why the local runner cannot execute the action. */
type ActionReading =
  | { readonly kind: 'parsed'; readonly manifest: ActionManifest }
  | { readonly kind: 'unsupported'; readonly problem: string };

function describe(error: z.ZodError): string {
  return error.issues
    .map((issue) => `${issue.path.map(String).join('.') || 'manifest'}: ${issue.message}`)
    .join('; ');
}

/** Reads an `action.yml`: JavaScript and composite actions, anything else refused by name. */
export function readAction(label: string, text: string): ActionReading {
  const outer = manifest.safeParse(parseYaml(text));
  if (!outer.success) return { kind: 'unsupported', problem: `${label}: ${describe(outer.error)}` };
  const { runs, name, ...rest } = outer.data;
  const schema = runs.using === 'composite' ? compositeRuns : nodeRuns;
  if (runs.using !== 'composite' && !runs.using.startsWith('node')) {
    const problem = `${label}: actions that run by "${runs.using}" are not supported by the local runner`;
    return { kind: 'unsupported', problem };
  }
  const inner = schema.safeParse(runs);
  if (!inner.success) return { kind: 'unsupported', problem: `${label}: runs: ${describe(inner.error)}` };
  return { kind: 'parsed', manifest: { name: name ?? label, ...rest, runs: inner.data } };
}
