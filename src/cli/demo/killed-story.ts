import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import type { Clock } from '../../host/clock.ts';
import type { LocalActions } from '../../local/actions/actions.ts';
import type { ReadTasks } from './read-tasks.ts';

/** Between the two steps of the `killed` story the agent waits for as long as this file exists. */
export interface Hold {
  readonly file: string;
  place(): Promise<void>;
  /** True once an agent waits. */
  isTaken(): boolean;
  release(): Promise<void>;
}

export function createHold(file: string): Hold {
  return {
    file,
    place: () => writeFile(file, ''),
    isTaken: () => existsSync(`${file}.taken`),
    release: () => rm(file, { force: true }),
  };
}

/**
 * Loses the runner of the first generation while its agent is in the middle of its work, and lets that agent go on once the
 * second generation works: what it hands in then comes too late.
 */
export async function playKilled(
  play: {
    readonly actions: LocalActions;
    readonly hold: Hold;
    readonly issue: number;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
  latest: () => ReadTasks | null,
  onEvent: (line: string) => void,
): Promise<void> {
  const { actions, hold, issue, clock, signal } = play;
  const until = async (condition: () => boolean) => {
    while (!condition() && !signal.aborted) await clock.sleep(100, signal);
  };
  const task = () => latest()?.tasks.get(issue);
  await until(() => hold.isTaken() && task()?.candidate !== null && task()?.attempt?.runId != null);
  const first = task()?.attempt;
  if (signal.aborted || first == null || first.runId === null) return;
  actions.lose(actions.run(first.runId), { keepTokens: true });
  onEvent(`the runner of attempt ${first.id} is lost to GitHub; its processes live on`);
  await until(() => (task()?.attempt?.generation ?? 0) > first.generation && task()?.attempt?.runId != null);
  await hold.release();
  if (!signal.aborted) onEvent(`attempt ${first.id} goes on, too late`);
}
