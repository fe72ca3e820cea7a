import { z } from 'zod';

/** The kinds of rules that ccd makes; others, made by people, are kept by name only. */
const ruleSchema = z.union([
  z.object({ type: z.enum(['creation', 'update', 'deletion', 'non_fast_forward']) }),
  z.object({
    type: z.literal('required_status_checks'),
    parameters: z.object({
      strict_required_status_checks_policy: z.boolean(),
      do_not_enforce_on_create: z.boolean().optional(),
      required_status_checks: z.array(
        z.object({ context: z.string(), integration_id: z.number().int().nullish() }),
      ),
    }),
  }),
  z.object({ type: z.string() }),
]);

/**
 * A ruleset as it is read and written. Ref names are full (`refs/heads/ccd/**\/*`), or `~DEFAULT_BRANCH` or `~ALL`.
 * GitHub hides the bypass actors from those who may not administer: then they are absent.
 */
export const rulesetSchema = z.object({
  name: z.string().min(1).max(100),
  target: z.enum(['branch', 'tag', 'push', 'repository']),
  enforcement: z.enum(['active', 'evaluate', 'disabled']),
  bypass_actors: z
    .array(
      z.object({
        actor_id: z.number().int().nullable(),
        actor_type: z.string(),
        bypass_mode: z.string(),
      }),
    )
    .optional(),
  conditions: z
    .object({
      ref_name: z.object({ include: z.array(z.string()), exclude: z.array(z.string()) }).optional(),
    })
    .optional(),
  rules: z.array(ruleSchema).optional(),
});
export type Ruleset = z.infer<typeof rulesetSchema>;
