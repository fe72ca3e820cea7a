import { type Digest, digestValue } from '../domain/digest.ts';
import type { Oid } from '../domain/ids.ts';
import type { FailedCheck } from './verify.ts';

/** A try whose checks failed. */
export interface FailedTry {
  /** What it left. */
  readonly tree: Oid;
  readonly failure: Digest;
}

/** Whether another try is worth its money: `no-progress` when the same failure has met the same tree before. */
export type RepairDecision = 'repair' | 'no-progress' | 'verification-failed';

/**
 * What follows a failed check. `history` holds the failed tries of this attempt in order, the last one included. A tree that
 * comes back with its failure means that the agent goes in circles; with another failure, that the check itself wavers.
 */
export function afterFailure(history: readonly FailedTry[], maxTries: number): RepairDecision {
  const last = history.at(-1);
  const before = history.slice(0, -1);
  if (before.some(({ tree, failure }) => tree === last?.tree && failure === last.failure))
    return 'no-progress';
  return history.length >= maxTries ? 'verification-failed' : 'repair';
}

/** Numbers, ids and addresses differ between two runs of the same failure: durations, ports, folders. */
const wavering = /\b(?=[0-9a-f]*\d)[0-9a-f]{7,}\b|\d+(?:[.,:]\d+)*/gi;

/** Tells whether two failures are the same one: command, ending and lines of output, in any order, without what wavers. */
export function failureDigest({ command, exitCode, timedOut, output }: FailedCheck): Digest {
  const lines = output.split('\n').map((line) => line.replace(wavering, '#').trim());
  return digestValue({ command, exitCode, timedOut, lines: [...new Set(lines)].sort() });
}
