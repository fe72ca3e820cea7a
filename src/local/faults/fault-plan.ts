import { z } from 'zod';

/** Every way in which this GitHub can misbehave. What each does is told in `docs/local-github.md`. */
const FAULT_KINDS = [
  'webhook-lost',
  'webhook-late',
  'webhook-repeated',
  'webhook-reordered',
  'stale-read',
  'run-not-listed',
  'error-before',
  'error-after',
  'false-conflict',
  'primary-limit',
  'secondary-limit',
  'slow',
  'reset-before',
  'reset-after',
  'dispatch-answer-lost',
  'runner-lost',
  'job-stuck',
  'clock-jump',
  'client-crash-before',
  'client-crash-after',
  'admin-rolls-back',
  'admin-deletes-branch',
] as const;
export const FaultKind = z.enum(FAULT_KINDS);
export type FaultKind = z.infer<typeof FaultKind>;

const Calls = z.array(z.int().positive()).min(1);

const Rule = z.strictObject({
  /** Name in the record; the kind and its place in the plan unless given. */
  id: z.string().min(1).max(100).optional(),
  kind: FaultKind,
  /**
   * What it hits, with `*` for any run of characters: an operation (`issues/*`, `git.push`, `graphql`), a webhook
   * (`issues.labeled`, `push`), or the name of a job for faults of the runner.
   */
  on: z.string().min(1).max(200).default('*'),
  /** Whose calls: `app:ccd`, `user:*`, `job:*`. */
  by: z.string().min(1).max(200).default('*'),
  /** How often it strikes, from 0 to 1, where `calls` names none. */
  chance: z.number().min(0).max(1).default(1),
  /** The n-th calls that match, counted from 1. */
  calls: Calls.optional(),
  /** Strikes at most so often. */
  times: z.int().positive().optional(),
  /** Milliseconds: how late, how slow, how stale, how far the clock jumps (back when negative). */
  ms: z.int().min(-1e11).max(1e11).optional(),
  /** Status of `error-*`: one of 500, 502, 503 and 504 by the seed unless given. */
  status: z.int().min(400).max(599).optional(),
  /** Seconds in `Retry-After` of a limit; null for a limit without that header. */
  retryAfter: z.int().nonnegative().nullable().optional(),
  /** `owner/name` and full name of the ref, for what an administrator does. */
  repository: z
    .string()
    .regex(/^[^/\s]+\/[^/\s]+$/)
    .optional(),
  ref: z.string().startsWith('refs/').optional(),
});

/** A plan of misbehaviour: `seed` and rules. The same seed strikes the same calls again. */
export const FaultPlan = z
  .strictObject({ seed: z.union([z.string(), z.number()]).transform(String), rules: z.array(Rule).max(200) })
  .superRefine((plan, context) => {
    const ids = new Set<string>();
    plan.rules.forEach((rule, index) => {
      const id = idOf(rule, index);
      const path = ['rules', index];
      if (ids.has(id)) context.addIssue({ code: 'custom', path, message: `two rules are named ${id}` });
      ids.add(id);
      if (rule.kind.startsWith('admin-') && (rule.repository === undefined || rule.ref === undefined))
        context.addIssue({ code: 'custom', path, message: `${rule.kind} needs repository and ref` });
    });
  })
  .transform((plan) => ({
    seed: plan.seed,
    rules: plan.rules.map((rule, index) => ({ ...rule, id: idOf(rule, index) })),
  }));
export type FaultPlan = z.infer<typeof FaultPlan>;
export type FaultRule = FaultPlan['rules'][number];

const idOf = (rule: { id?: string | undefined; kind: FaultKind }, index: number): string =>
  rule.id ?? `${rule.kind}-${index + 1}`;

/** One fault that struck: enough to let it strike again. */
export const FaultRecord = z.strictObject({
  rule: z.string(),
  kind: FaultKind,
  /** What was hit and whose it was, as `on` and `by` name them. */
  on: z.string(),
  by: z.string(),
  /** Among the calls of this rule with the same `on` and `by`, counted from 1. */
  nth: z.int().positive(),
  /** Milliseconds of this GitHub's clock. */
  at: z.number(),
  /** What was done, in a few words. */
  what: z.string(),
});
export type FaultRecord = z.infer<typeof FaultRecord>;
