import { type TaskSpec, taskSpecSchema } from '../../src/domain/spec.ts';
import type { Finding, Rule } from '../../src/domain/verdict.ts';
import { judgeStatic } from '../../src/guard/judge-static.ts';
import { contextPaths } from '../../src/guard/model/context-paths.ts';
import { loadParsers, wasmOfPackages } from '../../src/guard/parse/load-parsers.ts';
import type { Parsers } from '../../src/guard/parse/syntax.ts';
import { type Policy, policySchema } from '../../src/policy/policy.ts';
import { changeOf, type Tree } from './guard-change.ts';

let parsers: Promise<Parsers> | null = null;

/** The grammars, loaded once per process. */
export function testParsers(): Promise<Parsers> {
  parsers ??= loadParsers(wasmOfPackages());
  return parsers;
}

/** A task that allows everything by path, with the given parts. */
export function taskSpec(parts: Partial<TaskSpec> = {}): TaskSpec {
  return {
    ...taskSpecSchema.parse({
      kind: 'fix',
      objective: 'make it right',
      acceptanceCriteria: [],
      allowedPaths: ['**'],
      targetTests: [],
      expectChanges: [],
      setup: null,
      testCommand: 'npm test',
      verify: [],
      maxProdLines: 60,
      allow: {},
      profiles: ['localized'],
      budget: { maxUsd: 1, maxTurns: 1, maxTries: 1, wallClockMinutes: 1 },
      priority: 0,
      dependsOn: [],
    }),
    ...parts,
  };
}

export interface JudgeOptions {
  readonly spec?: Partial<TaskSpec>;
  readonly policy?: Policy;
  readonly rules?: ReadonlySet<Rule>;
}

/** Findings of the static rules on two trees given as plain data. */
export async function judgeTrees(
  base: Tree,
  head: Tree,
  options: JudgeOptions = {},
): Promise<readonly Finding[]> {
  const spec = taskSpec(options.spec);
  const policy = options.policy ?? policySchema.parse({});
  const change = changeOf(base, head, contextPaths(spec, policy));
  const outcome = judgeStatic(
    change,
    spec,
    policy,
    await testParsers(),
    options.rules ? { rules: options.rules } : {},
  );
  if (outcome.kind !== 'judged') throw new Error(outcome.reason);
  return outcome.findings;
}

/** One small change: `base` with `change` laid over it (null removes a path). `want` is a rule, or `pass`. */
export interface SmallCase {
  readonly name: string;
  readonly base: Tree;
  readonly change: Readonly<Record<string, Tree[string] | null>>;
  readonly want: Rule | 'pass';
  readonly spec?: Partial<TaskSpec>;
}

export function judgeSmall(each: SmallCase): Promise<readonly Finding[]> {
  const head = Object.fromEntries(
    Object.entries({ ...each.base, ...each.change }).filter(([, content]) => content !== null),
  ) as Tree;
  return judgeTrees(each.base, head, each.spec ? { spec: each.spec } : {});
}
