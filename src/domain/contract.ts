import { z } from 'zod';
import { attemptClassSchema, attemptIdSchema, profileSchema } from './attempt.ts';
import { limitsSchema } from './budget.ts';
import { digestSchema } from './digest.ts';
import { databaseIdSchema, generationSchema, instantSchema, issueNumberSchema, oidSchema } from './ids.ts';

export const isolationSchema = z.enum(['sandbox', 'pid-namespace', 'none']);
export type Isolation = z.infer<typeof isolationSchema>;

/**
 * What a worker is given: identities, digests and bounds only. The prose stays on the issue; the worker reads it there and
 * stops when its digest is another.
 */
export const spawnContractSchema = z.strictObject({
  version: z.literal(1),
  repositoryId: databaseIdSchema,
  issue: issueNumberSchema,
  generation: generationSchema,
  attempt: attemptIdSchema,
  attemptClass: attemptClassSchema,
  profiles: z.array(profileSchema).min(1),
  base: oidSchema,
  baseTree: oidSchema,
  /** Digest of the issue's title and body as they were echoed. */
  bodyDigest: digestSchema,
  /** Digest of the parsed spec with defaults filled in. */
  specDigest: digestSchema,
  policyDigest: digestSchema,
  limits: limitsSchema,
  isolation: isolationSchema,
  /** The refused or outdated candidate whose change this attempt starts from, with its findings on the commit's check run. */
  carry: z.strictObject({ candidate: oidSchema, base: oidSchema }).nullable(),
});
export type SpawnContract = z.infer<typeof spawnContractSchema>;

export const handoverSchema = z.strictObject({
  version: z.literal(1),
  attempt: attemptIdSchema,
  contractDigest: digestSchema,
  sequence: z.number().int().min(1),
  base: oidSchema,
  /** The throw-away commit in the bundle: one parent, the contract's base. */
  commit: oidSchema,
  tree: oidSchema,
});
export type Handover = z.infer<typeof handoverSchema>;

export const outcomeClassSchema = z.enum([
  'success',
  'transient',
  'deterministic',
  'auth',
  'budget',
  'cancelled',
  'empty',
]);
export type OutcomeClass = z.infer<typeof outcomeClassSchema>;

/** The agent's ending as classified by the parent: `reason` is a word from a fixed table, never the agent's prose. */
export const attemptOutcomeSchema = z.strictObject({
  class: outcomeClassSchema,
  reason: z.string().regex(/^[a-z0-9-]{1,60}$/),
  /** When a usage limit ends, where that is known. */
  resetsAt: instantSchema.nullable().optional(),
});
export type AttemptOutcome = z.infer<typeof attemptOutcomeSchema>;

/** Names of the artifacts by which a worker and a facts job hand things over. */
export const artifactNames = {
  prefix: 'ccd-',
  handover: (attempt: string, sequence: number) => `ccd-tree-${attempt}-${sequence}`,
  report: (attempt: string) => `ccd-report-${attempt}`,
  facts: (planDigest: string, attempt: number) =>
    `ccd-facts-${planDigest.slice('sha256:'.length, 'sha256:'.length + 16)}-${attempt}`,
} as const;
