import { readChange } from '../../git/change-reader.ts';
import { planFacts } from '../../guard/facts/plan-facts.ts';
import { judgeStatic } from '../../guard/judge-static.ts';
import { contextPaths } from '../../guard/model/context-paths.ts';
import type { Parsers } from '../../guard/parse/syntax.ts';
import { roleOf } from '../../guard/roles.ts';
import type { StaticJudgeInput, StaticJudgeOutput } from '../compute/static-judge.ts';

/** Judges two commits by the static rules and plans what would have to be executed. Reads git objects, nothing else. */
export async function judgeTrees(input: StaticJudgeInput, parsers: Parsers): Promise<StaticJudgeOutput> {
  const { spec, policy } = input;
  const read = await readChange(input.repoDir, input.base, input.head, {
    selectContext: contextPaths(spec, policy),
  });
  if (read.kind !== 'read') return { statics: read, need: { kind: 'could-not', reason: read.reason } };
  const rules = input.rules === undefined ? {} : { rules: new Set(input.rules) };
  const statics = judgeStatic(read.change, spec, policy, parsers, rules);
  const need = planFacts({
    judged: input.judged,
    base: input.base,
    head: input.head,
    changedPaths: read.change.changes.map(({ path }) => path),
    roleOf: (path) => roleOf(path, policy),
    spec,
    policy,
  });
  return {
    statics: statics.kind === 'judged' ? { kind: 'judged', findings: [...statics.findings] } : statics,
    need,
  };
}
