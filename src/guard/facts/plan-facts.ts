import { canonicalJson } from '../../domain/digest.ts';
import { type FactsPlan, factsPlanSchema } from '../../domain/facts.ts';
import type { Oid } from '../../domain/ids.ts';
import type { TaskSpec } from '../../domain/spec.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Role } from '../roles.ts';

export interface PlanInput {
  readonly judged: FactsPlan['judged'];
  readonly base: Oid;
  readonly head: Oid;
  /** Every path that differs between base and head. */
  readonly changedPaths: readonly string[];
  /** Role of a path as base's tree and policy see it; head-only paths by their names. */
  readonly roleOf: (path: string) => Role;
  readonly spec: TaskSpec;
  readonly policy: Policy;
}

export type FactsNeed =
  | { readonly kind: 'plan'; readonly plan: FactsPlan }
  | { readonly kind: 'none-needed'; readonly reason: string }
  | { readonly kind: 'could-not'; readonly reason: string };

/** A plan travels in the inputs of a dispatch: GitHub takes 65,535 characters of all together. */
const mostPlanCharacters = 60_000;

const overlaid: ReadonlySet<Role> = new Set(['protected', 'test', 'test-data', 'manifest']);

/**
 * Decides what has to be executed to judge a change, or why nothing has to be or can be. Only changed test paths are
 * listed: all others are the same on both sides. Builds name no targets: each member was judged against its own spec.
 */
export function planFacts(input: PlanInput): FactsNeed {
  const { judged, base, head, changedPaths, roleOf, spec, policy } = input;
  if (changedPaths.length === 0)
    return { kind: 'none-needed', reason: 'Nothing differs between base and head.' };
  if (
    judged === 'candidate' &&
    spec.kind === 'docs' &&
    changedPaths.every((path) => roleOf(path) === 'docs')
  ) {
    return { kind: 'none-needed', reason: 'Only documents change.' };
  }
  const testCommand = spec.testCommand ?? policy.task.test_command;
  if (testCommand === null) {
    return { kind: 'could-not', reason: 'Neither the spec nor the policy names a test command.' };
  }
  const plan = factsPlanSchema.safeParse({
    version: 1,
    judged,
    base,
    head,
    testPaths: changedPaths.filter((path) => overlaid.has(roleOf(path))).sort(),
    setup: spec.setup ?? policy.task.setup,
    testCommand,
    targetTests: judged === 'candidate' && provesTarget(spec) ? spec.targetTests : [],
    runs: policy.guard.runs,
    timeoutMs: policy.guard.timeout_minutes * 60_000,
  });
  if (!plan.success || canonicalJson(plan.data).length > mostPlanCharacters)
    return { kind: 'could-not', reason: 'The change touches too many test paths to plan its execution.' };
  return { kind: 'plan', plan: plan.data };
}

/** R5 asks for a proof from kinds that promise other behaviour. */
export function provesTarget(spec: Pick<TaskSpec, 'kind'>): boolean {
  return spec.kind === 'fix' || spec.kind === 'feature';
}
