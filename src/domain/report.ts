import { z } from 'zod';
import { attemptIdSchema } from './attempt.ts';
import { attemptOutcomeSchema, isolationSchema } from './contract.ts';
import { digestSchema } from './digest.ts';
import { instantSchema, issueNumberSchema, microUsdSchema, oidSchema } from './ids.ts';

/** Most entries of each list in a report: a change with more is named, not listed. */
export const reportCaps = { files: 10_000, checks: 100, lines: 1000, overlaps: 1000 } as const;

/** Something that the parent saw undone, whatever the agent says. `detail` names the command, path or sequence. */
export const unfinishedSchema = z.strictObject({
  kind: z.enum([
    'nothing-changed',
    'check-failed',
    'check-not-run',
    'nothing-checked',
    'conflict-markers',
    'not-handed-over',
  ]),
  detail: z.string().max(4096),
});
export type Unfinished = z.infer<typeof unfinishedSchema>;

const changedFileSchema = z.strictObject({
  path: z.string().min(1).max(4096),
  kind: z.enum(['added', 'modified', 'deleted', 'mode', 'other']),
  blob: oidSchema.nullable(),
});

const checkSchema = z.strictObject({
  command: z.string().max(4096),
  /** Number of the try after which it ran. */
  try: z.number().int().min(1),
  exitCode: z.number().int().nullable(),
  timedOut: z.boolean(),
  durationMs: z.number().int().min(0),
});

/** The agent's own word, none of it observed. Lists are null where the agent gave none. */
const claimSchema = z.strictObject({
  summary: z.string().max(20_000),
  changedFiles: z.array(z.string().max(4096)).max(reportCaps.files).nullable(),
  unfinished: z.array(z.string().max(1000)).max(100).nullable(),
  subject: z.string().max(200).nullable(),
});

/**
 * What a worker hands back, once, created from what its parent observed; `claim` is the agent's own word and labelled so.
 * Every text in it may have been chosen by the agent (paths are) and is hostile to whoever shows it.
 */
export const resultReportSchema = z.strictObject({
  version: z.literal(1),
  attempt: attemptIdSchema,
  contractDigest: digestSchema,
  status: z.enum(['ready', 'blocked', 'failed']),
  outcome: attemptOutcomeSchema,
  /** The code by which the worker's process ends: 0, 1, 64 (budget), 65 (circuit breaker), 70 (a fault of ours). */
  exitCode: z.union([z.literal(0), z.literal(1), z.literal(64), z.literal(65), z.literal(70)]),
  startedAt: instantSchema,
  endedAt: instantSchema,
  base: oidSchema,
  /** Tree of the last hand-over; null when nothing changed. */
  tree: oidSchema.nullable(),
  lastSequence: z.number().int().min(0),
  changedFiles: z.array(changedFileSchema).max(reportCaps.files),
  checks: z.array(checkSchema).max(reportCaps.checks),
  violations: z.array(z.string().max(1000)).max(reportCaps.lines),
  /** Changed paths that the candidate of another active task changes too; null when that could not be looked at. */
  overlaps: z
    .array(z.strictObject({ issue: issueNumberSchema, path: z.string().min(1).max(4096) }))
    .max(reportCaps.overlaps)
    .nullable(),
  unfinished: z.array(unfinishedSchema).max(reportCaps.lines),
  /** The commit that the worker proposes: the last hand-over's tree on base, as the app may write it. */
  proposedCommit: z
    .strictObject({ parent: oidSchema, tree: oidSchema, files: z.number().int().min(0) })
    .nullable(),
  tries: z.number().int().min(0),
  usage: z.strictObject({
    microUsd: microUsdSchema.nullable(),
    estimated: z.boolean(),
    inputTokens: z.number().int().min(0),
    outputTokens: z.number().int().min(0),
    turns: z.number().int().min(0),
  }),
  agent: z.strictObject({ version: z.string().max(100).nullable(), model: z.string().max(200).nullable() }),
  isolation: z.strictObject({ enforced: isolationSchema, detail: z.string().max(500) }),
  cleanup: z.strictObject({ killed: z.number().int().min(0) }),
  claim: claimSchema.nullable(),
});
export type ResultReport = z.infer<typeof resultReportSchema>;
