import { digestValue } from '../../domain/digest.ts';
import type { Facts, FactsPlan } from '../../domain/facts.ts';
import { plannedRuns } from './planned-runs.ts';
import { faultSentence, runFault } from './run-fault.ts';

/**
 * Looks at facts from outside before anything in them is believed: made for this very plan, exactly the planned runs, and a
 * base that could be run. Returns a sentence that says what is wrong, or null.
 */
export function crossCheck(plan: FactsPlan, facts: Facts): string | null {
  if (facts.planDigest !== digestValue(plan)) return 'The facts were made for another plan.';
  const name = ({ side, index }: { side: string; index: number }) => `${side} ${index}`;
  const planned = plannedRuns(plan).map(name);
  const had = facts.runs.map(name);
  const missing = planned.filter((run) => !had.includes(run));
  if (missing.length > 0) return `The facts lack planned runs: ${missing.join(', ')}.`;
  if (had.length !== planned.length) return 'The facts hold runs that nobody planned.';
  for (const run of facts.runs) {
    const fault = run.side === 'base' ? runFault(run) : null;
    if (fault !== null) return `The tests could not be run on base. ${faultSentence(fault)}`;
  }
  return null;
}
