import type { Clock } from '../../host/clock.ts';
import { findMarked } from '../../host/processes.ts';
import { outputMarker } from './run-agent-once.ts';

/** Kills every process that was started for an output folder, until none is left. Returns how many were found. */
export async function sweepMarked(marker: string, clock: Clock): Promise<number> {
  const seen = new Set<number>();
  for (let round = 0; round < 200; round += 1) {
    const left = killMarked(marker);
    if (left.length === 0) break;
    for (const pid of left) seen.add(pid);
    await clock.sleep(Math.min(10 + round, 50));
  }
  return seen.size;
}

function killMarked(marker: string): number[] {
  const found = findMarked(outputMarker, marker);
  for (const pid of found) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // Gone already, which is what was wanted.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  return found;
}
