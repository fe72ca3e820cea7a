import type { ExecutedTest, FactRun, FactSide, Facts, FactsPlan, TestStatus } from '../../domain/facts.ts';
import { standIn } from './planned-runs.ts';

/** One readable run: its tests by id. */
export interface RunSet {
  readonly run: FactRun;
  readonly tests: ReadonlyMap<string, ExecutedTest>;
}

/** What all runs of a side said of one test; `missing` where a run does not know it. */
export type Observed = TestStatus | 'missing';

/** The readable runs that answer for a side. */
export function runSets(facts: Facts, plan: FactsPlan, side: FactSide): RunSet[] {
  const wanted = standIn(plan, side);
  return facts.runs
    .filter((run) => run.side === wanted)
    .map((run) => ({ run, tests: new Map((run.tests ?? []).map((test) => [test.id, test])) }));
}

export function observed(sets: readonly RunSet[], id: string): Observed[] {
  return sets.map(({ tests }) => tests.get(id)?.status ?? 'missing');
}

/** All ids that any of the runs knows, in the order of their first appearance. */
export function allIds(sets: readonly RunSet[]): string[] {
  return [...new Set(sets.flatMap(({ tests }) => [...tests.keys()]))];
}

/** True when the runs disagree. */
export function disagree(statuses: readonly Observed[]): boolean {
  return new Set(statuses).size > 1;
}
