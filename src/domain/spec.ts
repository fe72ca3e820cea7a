import { z } from 'zod';
import { profileSchema } from './attempt.ts';
import { issueNumberSchema } from './ids.ts';

export const taskKindSchema = z.enum(['fix', 'feature', 'tests-only', 'refactor', 'docs', 'deps']);
export type TaskKind = z.infer<typeof taskKindSchema>;

const pathPatterns = z.array(z.string().min(1));

/** Protected paths that a task opens by name; each member lists path patterns, `rename` lists pairs. */
export const allowSchema = z.strictObject({
  binary: pathPatterns.default([]),
  mode: pathPatterns.default([]),
  submodule: pathPatterns.default([]),
  symlink: pathPatterns.default([]),
  generated: pathPatterns.default([]),
  hooks: pathPatterns.default([]),
  manifests: pathPatterns.default([]),
  rename: z.array(z.tuple([z.string().min(1), z.string().min(1)])).default([]),
});
export type Allow = z.infer<typeof allowSchema>;

export const taskBudgetSchema = z.strictObject({
  maxUsd: z.number().positive().max(1000),
  maxTurns: z.number().int().min(1).max(1000),
  maxTries: z.number().int().min(1).max(10),
  wallClockMinutes: z
    .number()
    .int()
    .min(1)
    .max(24 * 60),
});
export type TaskBudget = z.infer<typeof taskBudgetSchema>;

/**
 * What an issue says should change, after parsing and with policy's defaults filled in.
 * `allowedPaths`: exact paths, folders that end in `/`, or globs in which `*` stops at `/`.
 * `targetTests` and `expectChanges`: `path::name`.
 */
export const taskSpecSchema = z.strictObject({
  kind: taskKindSchema,
  objective: z.string().min(1),
  acceptanceCriteria: z.array(z.string().min(1)),
  allowedPaths: pathPatterns,
  targetTests: z.array(z.string().min(1)),
  expectChanges: z.array(z.string().min(1)),
  setup: z.string().min(1).nullable(),
  testCommand: z.string().min(1).nullable(),
  verify: z.array(z.string().min(1)),
  maxProdLines: z.number().int().min(0),
  allow: allowSchema,
  profiles: z.array(profileSchema).min(1),
  budget: taskBudgetSchema,
  priority: z.number().int().min(0).max(9),
  dependsOn: z.array(issueNumberSchema),
});
export type TaskSpec = z.infer<typeof taskSpecSchema>;
