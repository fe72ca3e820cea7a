import { CcdError } from '../../domain/errors.ts';
import type { TaskState } from '../../domain/state.ts';
import type { Clock } from '../../host/clock.ts';
import { type ReadTasks, readTasks } from './read-tasks.ts';

export interface WatchOptions {
  readonly gitDir: string;
  readonly issues: readonly number[];
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Called with each task whenever its phase, generation or reason changed. */
  readonly onChange: (task: TaskState) => void;
  readonly onRead?: (read: ReadTasks) => void;
  /** Called between two looks; throws when the rest cannot come about any more. */
  readonly check: () => void;
}

const pollMs = 200;

/**
 * Follows the state branch until every issue has come to rest. Throws `demo.timeout` with what was still going on, and whatever
 * `check` throws.
 */
export async function watchUntilSettled(options: WatchOptions): Promise<ReadTasks> {
  const { clock, issues } = options;
  const endsAt = clock.now() + options.timeoutMs;
  const shown = new Map<number, string>();
  for (;;) {
    const read = await readTasks(options.gitDir);
    options.onRead?.(read);
    for (const issue of issues) {
      const task = read.tasks.get(issue);
      if (task === undefined) continue;
      const look = `${task.phase} ${task.generation} ${task.reason?.code ?? ''} ${task.verdict?.verdict ?? ''}`;
      if (shown.get(issue) !== look) options.onChange(task);
      shown.set(issue, look);
    }
    if (issues.every((issue) => read.tasks.get(issue)?.settled === true)) return read;
    options.check();
    if (clock.now() > endsAt) throw timeout(shown);
    await clock.sleep(pollMs);
  }
}

function timeout(shown: ReadonlyMap<number, string>): CcdError {
  const open = [...shown].map(([issue, look]) => `#${issue}: ${look}`).join('; ');
  return new CcdError({
    code: 'demo.timeout',
    message: `It took too long. Stood at: ${open === '' ? 'nothing was taken in' : open}.`,
    remedy: 'Run it again with nothing else on this machine.',
    audience: 'operator',
  });
}
