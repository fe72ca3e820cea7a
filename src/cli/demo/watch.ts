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
  readonly signal: AbortSignal;
}

const pollMs = 200;

/**
 * Follows the state branch until every issue has come to rest. Throws `demo.timeout` with what was still going on, and
 * `demo.interrupted` when the signal says so.
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
    if (options.signal.aborted) throw fault('demo.interrupted', 'Interrupted.', shown);
    if (clock.now() > endsAt) throw fault('demo.timeout', 'It took too long.', shown);
    await clock.sleep(pollMs, options.signal);
  }
}

function fault(code: string, message: string, shown: ReadonlyMap<number, string>): CcdError {
  const open = [...shown].map(([issue, look]) => `#${issue}: ${look}`).join('; ');
  return new CcdError({
    code,
    message: `${message} Stood at: ${open}.`,
    remedy: 'Run it again with --keep and look at the log of the app.',
    audience: 'operator',
  });
}
