import type { FactsPlan } from '../../domain/facts.ts';
import type { Oid } from '../../domain/ids.ts';
import type { TaskSpec } from '../../domain/spec.ts';
import type { Rule } from '../../domain/verdict.ts';
import type { FactsNeed } from '../../guard/facts/plan-facts.ts';
import type { StaticJudgement } from '../../guard/judge.ts';
import type { Policy } from '../../policy/policy.ts';

/** Two commits of the clone, judged as base and head. */
export interface StaticJudgeInput {
  readonly repoDir: string;
  readonly judged: FactsPlan['judged'];
  readonly base: Oid;
  readonly head: Oid;
  readonly spec: TaskSpec;
  readonly policy: Policy;
  /** The rules that are judged; absent: all. */
  readonly rules?: readonly Rule[];
}

export interface StaticJudgeOutput {
  readonly statics: StaticJudgement;
  /** What would have to be executed to judge the rest. */
  readonly need: FactsNeed;
}

/** Reads and judges a change from git objects; runs apart from the app, with bounds on time and memory. */
export type StaticJudge = (input: StaticJudgeInput) => Promise<StaticJudgeOutput>;
