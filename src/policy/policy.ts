import { z } from 'zod';
import { profileSchema } from '../domain/attempt.ts';

const positiveInt = z.number().int().positive();

/** What names nothing would protect nothing without a word. */
const pathPattern = z
  .string()
  .min(1)
  .max(1024)
  .refine((text) => !text.includes('\\') && !text.includes('//'), 'write single `/` between names')
  .refine(
    (text) => !text.split('/').some((name) => name === '.' || name === '..') && !text.startsWith('/'),
    'paths start at the top of the repository, without `/`, `.` or `..`',
  );

/** A check that must be an explicit success on the build: pinned to an app, and for Actions to the workflow that produces it. */
export const requiredCheckSchema = z.strictObject({
  name: z.string().min(1).max(200),
  app_id: positiveInt.default(15368),
  workflow: z
    .string()
    .regex(/^\.github\/workflows\/[^/]+\.ya?ml$/)
    .nullable()
    .default(null),
});
export type RequiredCheck = z.infer<typeof requiredCheckSchema>;

/** `.github/ccd.yml` on trunk. Unknown keys are refused; every key has a default. */
export const policySchema = z.strictObject({
  version: z.literal(1).default(1),
  waivers: z.enum(['others', 'self']).default('others'),
  required_checks: z.array(requiredCheckSchema).default([]),
  profiles: z.array(profileSchema).min(1).default(['localized']),
  task: z
    .strictObject({
      test_command: z.string().min(1).nullable().default(null),
      setup: z.string().min(1).nullable().default(null),
      verify: z.array(z.string().min(1)).default([]),
      max_prod_lines: z.number().int().min(0).default(60),
    })
    .prefault({}),
  agent: z
    .strictObject({
      model: z.string().min(1).default('claude-sonnet-4-5'),
      max_usd: z.number().positive().max(1000).default(5),
      max_turns: positiveInt.max(1000).default(40),
      max_tries: positiveInt.max(10).default(3),
      wall_clock_minutes: positiveInt.max(24 * 60).default(60),
      silence_minutes: z.number().positive().default(10),
      isolation: z.enum(['sandbox', 'pid-namespace', 'none']).default('pid-namespace'),
      /** `tested`: a version of the agent that this worker was not tried with is refused before it is started. */
      versions: z.enum(['any', 'tested']).default('any'),
      allowed_tools: z.array(z.string().min(1)).default(['Read', 'Edit', 'Write', 'Glob', 'Grep', 'Bash']),
    })
    .prefault({}),
  caps: z
    .strictObject({
      generations: positiveInt.default(3),
      queue_entries: positiveInt.default(5),
      usd: z.number().positive().default(20),
      running: positiveInt.default(4),
      /** Most production lines that a task may ask for; `task.max_prod_lines` is what it gets unasked. */
      prod_lines: z.number().int().min(0).default(400),
    })
    .prefault({}),
  guard: z
    .strictObject({
      runs: positiveInt.max(10).default(3),
      timeout_minutes: positiveInt.default(15),
      tries: positiveInt.default(3),
      protected: z.array(pathPattern).default([]),
      tests: z.array(pathPattern).default([]),
      max_files: positiveInt.default(5),
    })
    .prefault({}),
  landing: z
    .strictObject({
      check_start_minutes: z.number().positive().default(10),
      check_end_minutes: z.number().positive().default(60),
      tries: positiveInt.default(2),
    })
    .prefault({}),
  people: z
    .strictObject({ rules: z.array(z.enum(['R0', 'R2', 'R4', 'R6'])).default(['R0', 'R2', 'R4', 'R6']) })
    .prefault({}),
});
export type Policy = z.infer<typeof policySchema>;
