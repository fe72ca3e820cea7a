import type { Store } from '../../store.ts';
import { noteProblem } from './blank-job.ts';
import { expandJob } from './expand-job.ts';
import { combinedResult, type ServerUrls } from './job-scope.ts';
import { currentCalls, isCall, type JobSet, type Unit, unitsOf } from './job-set.ts';
import { callOutputs } from './make-call.ts';
import type { JobRecord, RunRecord } from './records.ts';
import { asList } from './yaml-list.ts';

function isSettled(units: readonly Unit[], key: string): boolean {
  const own = units.filter((unit) => unit.key === key);
  return own.length > 0 && own.every((unit) => unit.status === 'completed');
}

const allSettled = (run: RunRecord, set: JobSet): boolean =>
  Object.keys(set.file.body.jobs).every((key) => isSettled(unitsOf(run, set), key));

/** Expands the keys of one file whose needs are settled. True when there were any. */
function expandSet(
  store: Store,
  run: RunRecord,
  set: JobSet,
  urls: ServerUrls,
  add: (job: JobRecord) => void,
): boolean {
  let more = false;
  for (const [key, body] of Object.entries(set.file.body.jobs)) {
    const units = unitsOf(run, set);
    if (units.some((unit) => unit.key === key)) continue;
    if (!asList(body.needs).every((need) => isSettled(units, need))) continue;
    const made = expandJob(store, { run, set, key, body }, urls);
    run.calls.push(...made.filter(isCall));
    for (const unit of made) if (!isCall(unit)) add(unit);
    more = true;
  }
  return more;
}

/** Ends the calls all of whose jobs are over. True when there were any. */
function settleCalls(run: RunRecord, urls: ServerUrls): boolean {
  const over = currentCalls(run).filter((call) => call.status !== 'completed' && allSettled(run, call.inner));
  for (const call of over) {
    const units = unitsOf(run, call.inner);
    const conclusion = combinedResult(units);
    Object.assign(call, { status: 'completed', conclusion });
    try {
      call.outputs = conclusion === 'skipped' ? {} : callOutputs(run, call, urls);
    } catch (error) {
      const last = units.findLast((unit) => !isCall(unit)) as JobRecord | undefined;
      if (last !== undefined)
        noteProblem(last, `${call.inner.file.path}: outputs: ${(error as Error).message}`);
      call.conclusion = 'failure';
    }
  }
  return over.length > 0;
}

/**
 * Expands jobs whose needs are settled, in the run's file and in those it calls, until nothing changes; `add` gets each.
 * True when all of the run is over.
 */
export function expandRun(
  store: Store,
  run: RunRecord,
  urls: ServerUrls,
  add: (job: JobRecord) => void,
): boolean {
  const own = run.own!;
  for (let more = true; more; ) {
    more = false;
    const inner = currentCalls(run).filter((call) => call.status !== 'completed');
    for (const set of [own, ...inner.map((call) => call.inner)])
      more = expandSet(store, run, set, urls, add) || more;
    more = settleCalls(run, urls) || more;
  }
  return allSettled(run, own);
}
