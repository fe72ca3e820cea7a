import { z } from 'zod';

/** What YAML can hold, before any `${{ }}` in it is evaluated. */
const templateValue = z.json();
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
/** A mapping, or one expression that yields a mapping. */
const mapping = z.union([z.record(z.string(), scalar), z.string()]);
const names = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());

const runDefaults = z.strictObject({
  run: z
    .strictObject({ shell: z.string().optional(), 'working-directory': z.string().optional() })
    .optional(),
});

const concurrency = z
  .union([
    z.string(),
    z.strictObject({
      group: z.string(),
      'cancel-in-progress': z.union([z.boolean(), z.string()]).optional(),
      queue: z.enum(['single', 'max']).optional(),
    }),
  ])
  .transform((value) => (typeof value === 'string' ? { group: value } : value));

const permissions = z.union([
  z.literal('read-all'),
  z.literal('write-all'),
  z.record(z.string(), z.enum(['read', 'write', 'none'])),
  z.null().transform(() => ({})),
]);

const step = z
  .strictObject({
    id: z.string().optional(),
    name: scalar.optional(),
    if: scalar.optional(),
    run: z.string().optional(),
    uses: z.string().optional(),
    with: mapping.nullable().optional(),
    env: mapping.nullable().optional(),
    shell: z.string().optional(),
    'working-directory': z.string().optional(),
    'timeout-minutes': scalar.optional(),
    'continue-on-error': scalar.optional(),
  })
  .refine((value) => (value.run === undefined) !== (value.uses === undefined), {
    message: 'a step needs exactly one of run and uses',
  });

const strategy = z.strictObject({
  matrix: z.union([z.record(z.string(), templateValue), z.string()]).optional(),
  'fail-fast': scalar.optional(),
  'max-parallel': scalar.optional(),
});

const environment = z
  .union([z.string(), z.strictObject({ name: z.string(), url: scalar.optional() })])
  .transform((value) => (typeof value === 'string' ? value : value.name));

/** A workflow of the same repository and commit. The file's own rules (no `steps` beside `uses`) are GitHub's grammar's. */
const CALLED = /^\.\/\.github\/workflows\/[^/]+\.ya?ml$/;

const job = z.strictObject({
  name: scalar.optional(),
  needs: names.optional(),
  if: scalar.optional(),
  uses: z
    .string()
    .refine((path) => CALLED.test(path), {
      message: 'not supported by the local runner unless it is ./.github/workflows/<file>',
    })
    .optional(),
  with: mapping.nullable().optional(),
  secrets: z.union([z.literal('inherit'), z.record(z.string(), scalar)]).optional(),
  'runs-on': z.union([z.string(), z.array(z.string()), z.strictObject({ labels: names })]).default([]),
  environment: environment.optional(),
  permissions: permissions.optional(),
  env: mapping.nullable().optional(),
  defaults: runDefaults.optional(),
  outputs: z.record(z.string(), scalar).optional(),
  strategy: strategy.optional(),
  'timeout-minutes': scalar.optional(),
  'continue-on-error': scalar.optional(),
  concurrency: concurrency.optional(),
  steps: z.array(step).default([]),
});

/** The part of a workflow file that the local runner executes. Any other key is refused by name. */
export const workflowSchema = z.strictObject({
  name: scalar.optional(),
  'run-name': scalar.optional(),
  on: templateValue,
  permissions: permissions.optional(),
  env: mapping.nullable().optional(),
  defaults: runDefaults.optional(),
  concurrency: concurrency.optional(),
  jobs: z.record(z.string(), job),
});

export type WorkflowBody = z.infer<typeof workflowSchema>;
export type JobBody = z.infer<typeof job>;
export type StepBody = z.infer<typeof step>;
export type ConcurrencyBody = z.infer<typeof concurrency>;
export type PermissionsBody = z.infer<typeof permissions>;

/** The steps of a composite action have the form of a job's steps. */
export const stepsSchema = z.array(step).min(1);
