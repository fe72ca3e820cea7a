import { dollars } from '../../worker/batch/batch-event.ts';
import type { PhaseEnd } from '../../worker/batch/phase-end.ts';
import type { PipelineEnd } from '../../worker/batch/pipeline-end.ts';
import { money } from '../../worker/batch/run-view.ts';
import { printable } from './printable.ts';

/** What is printed with `--json`: figures and names; the results themselves lie in the output folder. */
export function endDocument(end: PipelineEnd, outputFolder: string, exitCode: number) {
  const { state, pending, costUsd, seconds, isolation, network } = end;
  const phases = end.phases.map((phase) => ({
    phase: phase.phase,
    state: phase.state,
    reason: phase.reason,
    items: phase.items,
    batches: phase.batches,
    unfinished: phase.unfinished,
    results: phase.results.length,
    refused: phase.refused,
    repeated: phase.repeated,
    breaker: phase.breaker,
    cost: phase.cost,
    lifetimeUsd: dollars(phase.lifetimeMicroUsd),
    seconds: phase.seconds,
  }));
  return {
    ok: state === 'completed',
    state,
    exitCode,
    output: outputFolder,
    phases,
    pending,
    costUsd,
    seconds,
    isolation,
    network,
  };
}

/** The same for people. */
export function renderEnd(end: PipelineEnd, outputFolder: string): string {
  const phases = end.phases.flatMap(phaseLines);
  const pending = end.pending.map((name) => `${name}: not begun`);
  const closing = [
    `batch: ${end.state}, ${money(end.costUsd)} in ${end.seconds} s; results in ${printable(outputFolder)}`,
    ...(end.state === 'completed' ? [] : ['Run the same command again: what is done is not done again.']),
  ];
  return `${[...phases, ...pending, ...closing].join('\n')}\n`;
}

function phaseLines(phase: PhaseEnd): string[] {
  const { items, cost, lifetimeMicroUsd, refused, unfinished } = phase;
  const counts = [
    `${items.done} of ${items.total} items done (${items.doneNow} now)`,
    ...(
      [
        ['without a result', items.empty],
        ['out of turns', items.maxTurns],
        ['failed', items.failed],
        ['interrupted', items.interrupted],
        ['not begun', items.notStarted],
      ] as const
    ).flatMap(([word, count]) => (count === 0 ? [] : [`${count} ${word}`])),
  ];
  const budget = cost.max_budget_usd === null ? '' : ` of ${money(cost.max_budget_usd)} for this phase`;
  const why = phase.reason === null ? '' : ` (${printable(phase.reason)})`;
  return [
    `${phase.phase}: ${phase.state}${why}; ${counts.join(', ')}; ${phase.results.length} results`,
    `    ${money(cost.total_cost_usd)}${budget}, ${money(dollars(lifetimeMicroUsd))} over all runs`,
    ...unfinished.map(
      ({ worker, batch, reason, ids }) =>
        `    W${worker}B${batch}: ${printable(reason)}: ${printable(shortList(ids))}`,
    ),
    ...refused.map(
      ({ file, index, reason }) => `    not handed on: ${file}, result ${index}: ${printable(reason)}`,
    ),
  ];
}

function shortList(ids: readonly string[]): string {
  const shown = ids.slice(0, 5).join(', ');
  return ids.length > 5 ? `${shown}, … (${ids.length})` : shown;
}
