import type { Finding, Verdict, VerdictKey } from '../domain/verdict.ts';
import type { FactsJudgement } from './facts/judge-facts.ts';
import { applyWaivers, type WaivedFingerprint } from './waivers.ts';

/** What the static half said of the change. */
export type StaticJudgement =
  | { readonly kind: 'judged'; readonly findings: readonly Finding[] }
  | { readonly kind: 'could-not-judge'; readonly reason: string };

/** What is known by execution: judged facts, nothing to execute, or nothing delivered. */
export type FactsPart =
  | FactsJudgement
  | { readonly kind: 'none-needed' }
  | { readonly kind: 'missing'; readonly reason: string };

export interface JudgeInput {
  readonly key: VerdictKey;
  /** Counts from 1; only `could-not-judge` is ever tried again. */
  readonly try: number;
  readonly statics: StaticJudgement;
  readonly facts: FactsPart;
  /** Builds: findings of the exact composition of their members. */
  readonly composition?: readonly Finding[];
  readonly waivers: readonly WaivedFingerprint[];
}

/**
 * The verdict. Whatever stands after waivers makes it `fail`; without findings, a part that could not be judged makes it
 * `could-not-judge`, which blames nobody; only when everything was judged and nothing found is it `pass`.
 */
export function judge(input: JudgeInput): Verdict {
  const { standing } = applyWaivers(allFindings(input), input.waivers);
  const common = { key: input.key, try: input.try };
  if (standing.length > 0) return { ...common, verdict: 'fail', findings: standing, reason: null };
  const reason = gap(input);
  if (reason !== null) return { ...common, verdict: 'could-not-judge', findings: [], reason };
  return { ...common, verdict: 'pass', findings: [], reason: null };
}

function allFindings({ statics, facts, composition }: JudgeInput): Finding[] {
  return [
    ...(statics.kind === 'judged' ? statics.findings : []),
    ...(composition ?? []),
    ...(facts.kind === 'judged' ? facts.findings : []),
  ];
}

function gap({ statics, facts }: JudgeInput): string | null {
  if (statics.kind === 'could-not-judge') return statics.reason;
  return facts.kind === 'could-not-judge' || facts.kind === 'missing' ? facts.reason : null;
}
