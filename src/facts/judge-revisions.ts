import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Digest } from '../domain/digest.ts';
import type { TaskSpec } from '../domain/spec.ts';
import { guardVersion, type Rule, ruleSchema, type Verdict, type VerdictKey } from '../domain/verdict.ts';
import { readChange } from '../git/change-reader.ts';
import { judgeFacts } from '../guard/facts/judge-facts.ts';
import { type FactsNeed, planFacts } from '../guard/facts/plan-facts.ts';
import { type FactsPart, judge, type StaticJudgement } from '../guard/judge.ts';
import { judgeStatic } from '../guard/judge-static.ts';
import type { Change } from '../guard/model/change.ts';
import { contextPaths } from '../guard/model/context-paths.ts';
import type { Parsers } from '../guard/parse/syntax.ts';
import { roleOf } from '../guard/roles.ts';
import { waiversDigest } from '../guard/waivers.ts';
import { removeTree } from '../host/remove-tree.ts';
import { createSandbox } from '../host/sandbox.ts';
import type { Policy } from '../policy/policy.ts';
import { specDigest } from '../spec/digest.ts';
import { executeFacts, type Progress } from './execute-facts.ts';
import type { Revisions } from './revisions.ts';

export interface JudgeRevisionsInput {
  readonly revisions: Revisions;
  readonly spec: TaskSpec;
  /** Policy of the base tree. */
  readonly policy: Policy;
  readonly policyDigest: Digest;
  readonly parsers: Parsers;
  /** Rules that are judged. Nothing is executed when neither R4 nor R5 is among them. */
  readonly rules: ReadonlySet<Rule>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runnerImage: string;
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * Judges two commits of a repository on this machine: the static rules first, and only when these find nothing the tests,
 * executed here. Throws CcdError for faults of git and of this machine.
 */
export async function judgeRevisions(input: JudgeRevisionsInput): Promise<Verdict> {
  const { gitDir, base, head } = input.revisions;
  const read = await readChange(gitDir, base, head, {
    selectContext: contextPaths(input.spec, input.policy),
  });
  const statics: StaticJudgement =
    read.kind === 'read'
      ? judgeStatic(read.change, input.spec, input.policy, input.parsers, { rules: input.rules })
      : read;
  const facts = read.kind === 'read' ? await factsPart(input, statics, read.change) : notExecuted;
  return judge({ key: keyOf(input), try: 1, statics, facts, waivers: [] });
}

const notExecuted: FactsPart = { kind: 'missing', reason: 'Nothing was executed.' };

async function factsPart(
  input: JudgeRevisionsInput,
  statics: StaticJudgement,
  change: Change,
): Promise<FactsPart> {
  if (!input.rules.has('R4') && !input.rules.has('R5')) return { kind: 'none-needed' };
  if (statics.kind !== 'judged' || statics.findings.length > 0) return notExecuted;
  const need = needOf(input, change);
  if (need.kind === 'none-needed') return need;
  if (need.kind === 'could-not') return { kind: 'missing', reason: need.reason };
  const workDir = await mkdtemp(join(tmpdir(), 'ccd-f-'));
  try {
    const sandbox = await createSandbox({ minimum: 'none', ephemeral: true });
    const { env, runnerImage, onProgress } = input;
    const options = { gitDir: input.revisions.gitDir, workDir, sandbox, env, runnerImage };
    const facts = await executeFacts(need.plan, { ...options, ...(onProgress ? { onProgress } : {}) });
    return judgeFacts({ plan: need.plan, facts, spec: input.spec, rules: input.rules });
  } finally {
    await removeTree(workDir);
  }
}

function needOf({ revisions, spec, policy }: JudgeRevisionsInput, change: Change): FactsNeed {
  return planFacts({
    judged: 'candidate',
    base: revisions.base,
    head: revisions.head,
    changedPaths: change.changes.map(({ path }) => path),
    roleOf: (path) => roleOf(path, policy),
    spec,
    policy,
  });
}

/** A verdict by fewer rules is another verdict: the guard's version in its key names them. */
function keyOf({ revisions, spec, policyDigest, runnerImage, rules }: JudgeRevisionsInput): VerdictKey {
  const partial = ruleSchema.options.some((rule) => !rules.has(rule));
  return {
    judged: 'candidate',
    baseTree: revisions.baseTree,
    headTree: revisions.headTree,
    policyDigest,
    specDigest: specDigest(spec),
    waiversDigest: waiversDigest([]),
    guardVersion: partial ? `${guardVersion}+${[...rules].sort().join('+')}` : guardVersion,
    runnerImage,
  };
}
