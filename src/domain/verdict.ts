import { z } from 'zod';
import { type Digest, digestSchema, digestValue } from './digest.ts';
import { oidSchema } from './ids.ts';

/** R0 readable and unprotected, R1 paths, R2 tests grow only, R3 bounded, R4 nothing lost, R5 target proves, R6 no gaming. */
export const ruleSchema = z.enum(['R0', 'R1', 'R2', 'R3', 'R4', 'R5', 'R6']);
export type Rule = z.infer<typeof ruleSchema>;

/** One reason for a refusal. `line` counts from 1 on the head side; null means the whole file; `file` is null for the whole change. */
export const findingSchema = z.strictObject({
  rule: ruleSchema,
  class: z.string().min(1).max(60),
  file: z.string().nullable(),
  line: z.number().int().positive().nullable(),
  reason: z.string().min(1),
  remedy: z.string().min(1),
  /** Identifies the finding together with all its inputs, so that a waiver cannot outlive them. */
  fingerprint: digestSchema,
});
export type Finding = z.infer<typeof findingSchema>;

export const verdictKeySchema = z.strictObject({
  judged: z.enum(['candidate', 'build']),
  baseTree: oidSchema,
  headTree: oidSchema,
  policyDigest: digestSchema,
  specDigest: digestSchema,
  waiversDigest: digestSchema,
  guardVersion: z.string().min(1),
  runnerImage: z.string().min(1),
});
export type VerdictKey = z.infer<typeof verdictKeySchema>;

export const verdictWordSchema = z.enum(['pass', 'fail', 'could-not-judge']);
export type VerdictWord = z.infer<typeof verdictWordSchema>;

/** `could-not-judge` says in `reason` what was missing and blames nobody; `pass` has no findings. */
export const verdictSchema = z.strictObject({
  verdict: verdictWordSchema,
  key: verdictKeySchema,
  try: z.number().int().min(1),
  findings: z.array(findingSchema),
  reason: z.string().nullable(),
});
export type Verdict = z.infer<typeof verdictSchema>;

export function verdictKeyDigest(key: VerdictKey): Digest {
  return digestValue(key);
}

/** Raised with each change of what the guard says about the same input. Part of every verdict key. */
export const guardVersion = '1';
