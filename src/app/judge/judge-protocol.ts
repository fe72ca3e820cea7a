import { z } from 'zod';
import { factsPlanSchema } from '../../domain/facts.ts';
import { oidSchema } from '../../domain/ids.ts';
import { taskSpecSchema } from '../../domain/spec.ts';
import { findingSchema, ruleSchema } from '../../domain/verdict.ts';
import { policySchema } from '../../policy/policy.ts';

/** What the app writes to the judging child's standard input. */
export const judgeRequestSchema = z.strictObject({
  repoDir: z.string().min(1),
  judged: z.enum(['candidate', 'build']),
  base: oidSchema,
  head: oidSchema,
  spec: taskSpecSchema,
  policy: policySchema,
  rules: z.array(ruleSchema).optional(),
});

/** What the child answers on its standard output. It parsed hostile files: its answer is checked like any other input. */
export const judgeAnswerSchema = z.strictObject({
  statics: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('judged'), findings: z.array(findingSchema) }),
    z.object({ kind: z.literal('could-not-judge'), reason: z.string() }),
  ]),
  need: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('plan'), plan: factsPlanSchema }),
    z.strictObject({ kind: z.literal('none-needed'), reason: z.string() }),
    z.strictObject({ kind: z.literal('could-not'), reason: z.string() }),
  ]),
});
