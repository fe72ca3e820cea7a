import type { RunRecord } from './records.ts';
import type { RunEngine } from './run-engine.ts';

/** Resolves with the first run, present or future, that fulfils a condition. Looks again at every change of any run. */
export function awaitRun(engine: RunEngine, condition: (run: RunRecord) => boolean): Promise<RunRecord> {
  const present = [...engine.runs.values()].find(condition);
  if (present !== undefined) return Promise.resolve(present);
  return new Promise((resolve) => {
    const off = engine.events.on('changed', ({ run }) => {
      if (!condition(run)) return;
      off();
      resolve(run);
    });
  });
}
