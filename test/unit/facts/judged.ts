import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Facts, FactsPlan } from '../../../src/domain/facts.ts';
import type { TaskSpec } from '../../../src/domain/spec.ts';
import { executeFacts } from '../../../src/facts/execute-facts.ts';
import { type FactsJudgement, judgeFacts } from '../../../src/guard/facts/judge-facts.ts';
import { planFacts } from '../../../src/guard/facts/plan-facts.ts';
import { roleOf } from '../../../src/guard/roles.ts';
import { removeTree } from '../../../src/host/remove-tree.ts';
import { createSandbox } from '../../../src/host/sandbox.ts';
import { policySchema } from '../../../src/policy/policy.ts';
import { type Files, twoTrees } from './two-trees.ts';

/** A valid spec with what a test wants to be otherwise. */
export function specWith(part: Partial<TaskSpec>): TaskSpec {
  return {
    kind: 'fix',
    objective: 'Mend it.',
    acceptanceCriteria: [],
    allowedPaths: ['src/', 'test/'],
    targetTests: [],
    expectChanges: [],
    setup: null,
    testCommand: 'node --test',
    verify: [],
    maxProdLines: 60,
    allow: {
      binary: [],
      mode: [],
      submodule: [],
      symlink: [],
      generated: [],
      hooks: [],
      manifests: [],
      rename: [],
    },
    profiles: ['localized'],
    budget: { maxUsd: 1, maxTurns: 10, maxTries: 1, wallClockMinutes: 10 },
    priority: 5,
    dependsOn: [],
    ...part,
  };
}

export interface Judged {
  readonly plan: FactsPlan;
  readonly facts: Facts;
  readonly judgement: FactsJudgement;
  /** `rule class` of each finding. */
  readonly found: string[];
}

/** Every test of this folder starts dozens of processes: on a busy machine that takes its time. */
export const patience = 240_000;

export interface JudgedOptions {
  readonly timeoutMs?: number;
  readonly runs?: number;
  /** Folder that the tests may read wherever it lies, below /tmp too. */
  readonly readable?: string;
}

/** Plans, executes with real processes, and judges by R4 and R5 alone: no static rule has a say. */
export async function judged(
  base: Files,
  head: Files,
  spec: TaskSpec,
  { timeoutMs = 60_000, runs = 1, readable }: JudgedOptions = {},
): Promise<Judged> {
  const policy = policySchema.parse({ guard: { runs } });
  const repo = await twoTrees(base, head);
  const workDir = await mkdtemp(join(tmpdir(), 'ccd-f-'));
  try {
    const need = planFacts({
      judged: 'candidate',
      base: repo.base,
      head: repo.head,
      changedPaths: repo.changed,
      roleOf: (path) => roleOf(path, policy),
      spec,
      policy,
    });
    if (need.kind !== 'plan') throw new Error(need.reason);
    const plan = { ...need.plan, timeoutMs };
    const sandbox = await createSandbox({ minimum: 'none', ephemeral: true });
    const facts = await executeFacts(plan, {
      gitDir: repo.gitDir,
      workDir,
      sandbox: {
        ...sandbox,
        run: (command, one) => sandbox.run(command, readable ? { ...one, readable: [readable] } : one),
      },
      env: process.env,
      runnerImage: 'test',
    });
    const judgement = judgeFacts({ plan, facts, spec });
    const findings = judgement.kind === 'judged' ? judgement.findings : [];
    return { plan, facts, judgement, found: findings.map((finding) => `${finding.rule} ${finding.class}`) };
  } finally {
    await removeTree(workDir);
    await repo.remove();
  }
}
