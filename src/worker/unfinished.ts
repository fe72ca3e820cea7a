import type { Unfinished } from '../domain/report.ts';
import type { Observed } from './observed.ts';

/** What the parent itself saw undone at the end of an attempt: never taken from what the agent says. */
export function unfinishedWork(observed: Observed): Unfinished[] {
  const { changed, conflicted, lastTree, tree, lastSequence } = observed;
  const found: Unfinished[] = checksUndone(observed);
  if (observed.tries > 0 && changed.length === 0) found.push({ kind: 'nothing-changed', detail: '' });
  for (const path of conflicted) found.push({ kind: 'conflict-markers', detail: path });
  if (changed.length > 0 && lastTree !== tree) {
    found.push({ kind: 'not-handed-over', detail: `changes after hand-over ${lastSequence}` });
  }
  return found;
}

function checksUndone({ tries, checks, wanted }: Observed): Unfinished[] {
  if (tries === 0) return [];
  if (wanted.length === 0) return [{ kind: 'nothing-checked', detail: '' }];
  const last = new Map(checks.filter((check) => check.try === tries).map((check) => [check.command, check]));
  return wanted.flatMap((command): Unfinished[] => {
    const check = last.get(command);
    if (check === undefined) return [{ kind: 'check-not-run', detail: command }];
    return check.exitCode === 0 && !check.timedOut ? [] : [{ kind: 'check-failed', detail: command }];
  });
}
