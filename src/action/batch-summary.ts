import { dollars } from '../worker/batch/batch-event.ts';
import type { PhaseEnd } from '../worker/batch/phase-end.ts';
import type { PipelineEnd } from '../worker/batch/pipeline-end.ts';
import { money } from '../worker/batch/run-view.ts';

const cells = 20;
const mostBatches = 50;

/** The summary of a step in Actions, as Markdown. Ids of items are foreign text: they stand in code and cannot leave it. */
export function batchSummary(name: string, end: PipelineEnd): string {
  return [
    `## ${marks[end.state]} ${name}: ${end.state}`,
    metricTable(end),
    costTable(end),
    ...end.phases.map(budgetLine),
    failedList(end.phases),
    end.state === 'completed' ? '' : 'Run it again: what is done is not done again.',
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

const marks: Record<PipelineEnd['state'], string> = {
  completed: '✅',
  failed: '❌',
  'budget-exceeded': '💰',
  'circuit-broken': '⚡',
  interrupted: '✋',
};

function metricTable({ phases, pending, seconds }: PipelineEnd): string {
  const rows = phases.map(
    ({ phase, state, reason, items, batches, results, refused, seconds: took }) =>
      `| ${phase} | ${state}${reason === null ? '' : ` (${code(reason)})`} | ${items.done} of ${items.total} | ${batches} | ${results.length} | ${refused.length} | ${took} |`,
  );
  return [
    '| phase | state | items done | batches | results | not handed on | seconds |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    ...pending.map((phase) => `| ${phase} | pending | | | | | |`),
    `| all | | | | | | ${seconds} |`,
  ].join('\n');
}

function costTable({ phases, costUsd }: PipelineEnd): string {
  const rows = phases.map(
    ({ phase, cost, lifetimeMicroUsd }) =>
      `| ${phase} | ${money(cost.total_cost_usd)}${cost.estimated ? ' (estimated)' : ''} | ${cost.max_budget_usd === null ? 'no cap' : money(cost.max_budget_usd)} | ${cost.total_input_tokens} | ${cost.total_output_tokens} | ${money(dollars(lifetimeMicroUsd))} |`,
  );
  return [
    '| phase | cost | cap of this phase | input tokens | output tokens | over all runs |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    `| all | ${money(costUsd)} | | | | |`,
  ].join('\n');
}

/** Twenty cells of five per cent each. */
function budgetLine({ phase, cost }: PhaseEnd): string {
  if (cost.max_budget_usd === null) return `${phase}: no cap`;
  const percent = cost.utilization_percent;
  const full = Math.min(cells, Math.floor(percent / 5));
  const cell = percent >= 80 ? '🟥' : percent >= 50 ? '🟨' : '🟩';
  return `${phase}: ${cell.repeat(full)}${'⬜'.repeat(cells - full)} ${percent} %`;
}

function failedList(phases: readonly PhaseEnd[]): string {
  const all = phases.flatMap((phase) => phase.unfinished.map((batch) => ({ ...batch, phase: phase.phase })));
  if (all.length === 0) return '';
  const shown = all
    .slice(0, mostBatches)
    .map(
      ({ phase, worker, batch, reason, ids }) =>
        `- ${phase} W${worker}B${batch}: ${code(reason)}: ${ids.slice(0, 5).map(code).join(', ')}${ids.length > 5 ? ', …' : ''}`,
    );
  const more = all.length > mostBatches ? [`- … and ${all.length - mostBatches} more`] : [];
  return ['Batches with unfinished items:', '', ...shown, ...more].join('\n');
}

function code(text: string): string {
  return `\`${text.replace(/[^\p{L}\p{N}\p{P}\p{S} ]|`/gu, ' ').slice(0, 100)}\``;
}
