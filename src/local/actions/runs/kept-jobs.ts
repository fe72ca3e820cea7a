import { ancestorsOf } from './job-scope.ts';
import { type CallRecord, currentCalls, type Unit } from './job-set.ts';
import { currentJobs, type JobRecord, type RunRecord } from './records.ts';

/** What a new attempt takes over from the last one. The rest of the file is expanded anew. */
interface Kept {
  /** Left as they are. */
  readonly jobs: readonly JobRecord[];
  readonly calls: readonly CallRecord[];
  /** Run once more as they were. */
  readonly again: readonly JobRecord[];
}

/** The unit of the run's own file that a job is, or is part of. */
function topOf(unit: Unit): Unit {
  return unit.set.call === null ? unit : topOf(unit.set.call);
}

function keep(run: RunRecord, fate: (unit: Unit) => 'kept' | 'again' | 'anew'): Kept {
  const top = new Map<Unit, 'kept' | 'again' | 'anew'>();
  const fateOf = (unit: Unit) => {
    const known = top.get(topOf(unit)) ?? fate(topOf(unit));
    top.set(topOf(unit), known);
    return known;
  };
  const jobs = currentJobs(run);
  return {
    jobs: jobs.filter((job) => fateOf(job) === 'kept'),
    calls: currentCalls(run).filter((call) => fateOf(call) === 'kept'),
    again: jobs.filter((job) => job.set.call === null && fateOf(job) === 'again'),
  };
}

const isOver = (unit: Unit): boolean => unit.conclusion === 'success';

/**
 * "Re-run failed jobs": what succeeded and depends on none that did not stays; what failed runs again as it was; what
 * depends on it is looked at anew. A call of another file of which anything failed runs again as a whole.
 */
export function keptForFailed(run: RunRecord): Kept {
  const own = [...currentJobs(run), ...currentCalls(run)].filter((unit) => unit.set.call === null);
  const succeeded = (key: string) => own.every((unit) => unit.key !== key || isOver(unit));
  const cellKept = (key: string) => own.some((unit) => unit.key === key && isOver(unit));
  return keep(run, (unit) => {
    if (![...ancestorsOf(unit.set, unit.key)].every(succeeded)) return 'anew';
    if (isOver(unit))
      return own.some((one) => one.key === unit.key && 'inner' in one && !isOver(one)) ? 'anew' : 'kept';
    return !('inner' in unit) && cellKept(unit.key) ? 'again' : 'anew';
  });
}

/** "Re-run this job": it and what depends on it; everything else stays, however it ended. */
export function keptForOne(run: RunRecord, chosen: JobRecord): Kept {
  const target = topOf(chosen);
  return keep(run, (unit) => {
    if (ancestorsOf(unit.set, unit.key).has(target.key)) return 'anew';
    if (unit.key !== target.key) return 'kept';
    if ('inner' in target) return 'anew';
    return unit === target ? 'again' : 'kept';
  });
}
