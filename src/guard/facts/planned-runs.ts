import type { FactSide, FactsPlan } from '../../domain/facts.ts';

/** One execution that a plan asks for; `index` counts from 1 within its side. */
export interface PlannedRun {
  readonly side: FactSide;
  readonly index: number;
}

/** Runs of the plain base: two, so that tests that give different answers on the same tree are found. */
const baseRuns = 2;

/**
 * Every run of a plan, in the order of execution. A change that touches no test path has no overlay of its own: head is
 * its own overlay, and base with head's tests is base.
 */
export function plannedRuns(plan: FactsPlan): PlannedRun[] {
  const overlaid = plan.testPaths.length > 0;
  const targeted = plan.targetTests.length > 0;
  return [
    ...runsOf('base', targeted && !overlaid ? Math.max(plan.runs, 1) : Math.min(plan.runs, baseRuns)),
    ...runsOf('overlay', overlaid ? plan.runs : 0),
    ...runsOf('target-on-base', overlaid && targeted ? plan.runs : 0),
    ...runsOf('head', plan.runs),
  ];
}

function runsOf(side: FactSide, count: number): PlannedRun[] {
  return Array.from({ length: count }, (_, index) => ({ side, index: index + 1 }));
}

/** The side whose runs answer for another one: see plannedRuns. */
export function standIn(plan: FactsPlan, side: FactSide): FactSide {
  if (plan.testPaths.length > 0) return side;
  if (side === 'overlay') return 'head';
  return side === 'target-on-base' ? 'base' : side;
}
