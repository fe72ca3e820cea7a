import { z } from 'zod';
import { digestSchema } from './digest.ts';
import { oidSchema } from './ids.ts';

/**
 * What one executed test did. `id` is `path::name` with nested names joined by ` > `.
 * Everything but `passed` and `failed` counts as "did not run".
 */
export const testStatusSchema = z.enum(['passed', 'failed', 'skipped', 'todo', 'aborted']);
export type TestStatus = z.infer<typeof testStatusSchema>;

export const executedTestSchema = z.strictObject({
  id: z.string().min(1).max(2000),
  status: testStatusSchema,
  /** Why it failed: an assertion, an error of another kind, or not told by the report. */
  failure: z.enum(['assertion', 'error', 'unknown']).nullable(),
  message: z.string().max(4000).nullable(),
});
export type ExecutedTest = z.infer<typeof executedTestSchema>;

/**
 * Which tree was executed. `base`: base as it is. `overlay`: head's production code under base's tests and
 * configuration. `head`: head as it is. `target-on-base`: base's production code under head's tests.
 */
export const factSideSchema = z.enum(['base', 'overlay', 'head', 'target-on-base']);
export type FactSide = z.infer<typeof factSideSchema>;

export const factRunSchema = z.strictObject({
  side: factSideSchema,
  index: z.number().int().min(1),
  exitCode: z.number().int().nullable(),
  timedOut: z.boolean(),
  durationMs: z.number().int().min(0),
  /** Null when the run produced no readable structured report; then `problem` says why. */
  tests: z.array(executedTestSchema).max(100_000).nullable(),
  problem: z.string().max(4000).nullable(),
});
export type FactRun = z.infer<typeof factRunSchema>;

/** What a facts job is asked to execute. Its digest names the facts artifact. */
export const factsPlanSchema = z.strictObject({
  version: z.literal(1),
  judged: z.enum(['candidate', 'build']),
  base: oidSchema,
  head: oidSchema,
  /** Test-role and protected paths are overlaid by these lists, computed by the guard from the base tree. */
  testPaths: z.array(z.string()).max(50_000),
  setup: z.string().nullable(),
  testCommand: z.string().min(1),
  targetTests: z.array(z.string()),
  /** Runs per side that must agree. */
  runs: z.number().int().min(1).max(10),
  timeoutMs: z.number().int().positive(),
});
export type FactsPlan = z.infer<typeof factsPlanSchema>;

/** What was executed and observed. Treated as written by an attacker until cross-checked. */
export const factsSchema = z.strictObject({
  version: z.literal(1),
  planDigest: digestSchema,
  runnerImage: z.string().min(1).max(200),
  isolation: z.string().max(200),
  runs: z.array(factRunSchema).max(100),
});
export type Facts = z.infer<typeof factsSchema>;
