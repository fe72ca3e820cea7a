import type { Effect } from '../../domain/command.ts';
import { canonicalJson, digestValue } from '../../domain/digest.ts';
import type { FactsPlan } from '../../domain/facts.ts';
import type { EffectOutcome } from '../../domain/outcome.ts';
import { dispatchWorkflow } from '../../github/apply/dispatch-workflow.ts';
import { factsBranch, guardWorkflow } from '../../supervisor/facts-job.ts';
import { buildOf } from '../compute/compose-build.ts';
import { type ComputeInput, specOf, taskOf } from '../compute/compute-input.ts';
import { specOfBuild } from '../compute/judge-build.ts';
import { settled } from './settled.ts';

type Request = Extract<Effect, { kind: 'dispatch-facts' }>;

/** Starts a facts job. The plan is made again from git: it must be the one that the state asked for. */
export async function dispatchFacts(input: ComputeInput, request: Request): Promise<EffectOutcome> {
  const plan = await makePlan(input, request);
  if (plan === null || digestValue(plan) !== request.planDigest) {
    return {
      kind: 'refused',
      what: request.kind,
      reason: 'The plan is no longer the one that was asked for.',
    };
  }
  const outcome = await dispatchWorkflow(input.context.client, input.context.name, {
    workflow: guardWorkflow.split('/').at(-1)!,
    ref: `refs/heads/${factsBranch}`,
    inputs: { plan: canonicalJson(plan), plan_digest: request.planDigest, try: String(request.try) },
  });
  return settled(request.kind, outcome);
}

async function makePlan(input: ComputeInput, request: Request): Promise<FactsPlan | null> {
  const { context, policy } = input;
  const pair = pairOf(input, request);
  if (pair === null) return null;
  const judged = await context.judge({
    repoDir: context.clone.dir,
    judged: request.of.kind,
    policy,
    ...pair,
  });
  return judged.need.kind === 'plan' ? judged.need.plan : null;
}

function pairOf(input: ComputeInput, request: Request) {
  if (request.of.kind === 'candidate') {
    const candidate = taskOf(input, request.of.issue).candidate;
    if (candidate === null) return null;
    return { base: candidate.base, head: candidate.oid, spec: specOf(input, request.of.issue) };
  }
  const build = buildOf(input, request.of.number);
  return build.commit === null
    ? null
    : { base: build.base, head: build.commit, spec: specOfBuild(input, build) };
}
