import { dollars } from './batch-event.ts';
import type { BatchJob, BatchTools } from './batch-job.ts';
import type { Item } from './item.ts';
import type { Phase } from './load-pipeline.ts';
import type { PhasePlan } from './plan.ts';

interface PhaseTelling {
  readonly job: BatchJob;
  readonly tools: BatchTools;
}

/** Says what a phase begins with, what is done again and what is left out. */
export function tellPlan(
  { job, tools }: PhaseTelling,
  phase: Phase,
  items: readonly Item[],
  plan: PhasePlan,
): void {
  const budget = job.phaseBudget(phase.name);
  tools.tell({
    type: 'phase-started',
    phase: phase.name,
    workers: job.workers,
    max_concurrent: job.maxConcurrent,
    force: job.forced.has(phase.name),
    model: phase.usedModel,
    items: items.length,
    done: plan.done.length,
    skipped: plan.skipped.length,
    batches: plan.queues.flat().length,
    max_budget_usd: budget === null ? null : dollars(budget),
  });
  const say = (message: string) => tools.tell({ type: 'warning', phase: phase.name, message });
  const [changed] = plan.changed;
  if (changed !== undefined)
    say(
      `${plan.changed.length} items that were finished are done again (${changed.id}, …): item, prompt, model or schema changed`,
    );
  const [skipped] = plan.skipped;
  if (skipped !== undefined)
    say(
      `${plan.skipped.length} items ran out of ${phase.max_turns} turns before (${skipped.id}, …) and are left out: change prompt, model or max_turns, or use --force`,
    );
}
