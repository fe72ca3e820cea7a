import { type Facts, type FactsPlan, factsSchema } from '../../domain/facts.ts';
import type { TaskSpec } from '../../domain/spec.ts';
import type { Finding, Rule } from '../../domain/verdict.ts';
import { crossCheck } from './cross-check.ts';
import { toFindings } from './facts-finding.ts';
import { ruleR4 } from './rule-r4.ts';
import { ruleR5 } from './rule-r5.ts';

export type FactsJudgement =
  | { readonly kind: 'judged'; readonly findings: Finding[] }
  | { readonly kind: 'could-not-judge'; readonly reason: string };

export interface FactsJudgeInput {
  readonly plan: FactsPlan;
  /** Facts as they were delivered: anything at all, written by an attacker. */
  readonly facts: unknown;
  readonly spec: TaskSpec;
  /** Rules to judge; both unless given. */
  readonly rules?: ReadonlySet<Rule>;
}

/**
 * Judges executed facts by R4 and R5. What was found counts also where something else could not be judged; without
 * findings, whatever could not be judged makes the whole `could-not-judge`. Pure, and total on any `facts`.
 */
export function judgeFacts({ plan, facts, spec, rules }: FactsJudgeInput): FactsJudgement {
  const parsed = factsSchema.safeParse(facts);
  if (!parsed.success)
    return { kind: 'could-not-judge', reason: 'The facts are not in the form that was agreed.' };
  const wrong = crossCheck(plan, parsed.data);
  if (wrong !== null) return { kind: 'could-not-judge', reason: wrong };
  const outcomes = rulesOf(plan, parsed.data, spec, rules ?? new Set<Rule>(['R4', 'R5']));
  const findings = outcomes.flatMap((outcome) => outcome.findings);
  const gaps = outcomes.flatMap((outcome) => outcome.gaps);
  if (findings.length === 0 && gaps.length > 0) return { kind: 'could-not-judge', reason: gaps.join(' ') };
  return { kind: 'judged', findings: toFindings(findings, plan, spec) };
}

function rulesOf(plan: FactsPlan, facts: Facts, spec: TaskSpec, rules: ReadonlySet<Rule>) {
  return [
    ...(rules.has('R4') ? [ruleR4(plan, facts, spec)] : []),
    ...(rules.has('R5') ? [ruleR5(plan, facts, spec)] : []),
  ];
}
