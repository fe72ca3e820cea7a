import { digestValue } from '../../../src/domain/digest.ts';
import type { ExecutedTest, FactRun, FactSide, Facts, FactsPlan } from '../../../src/domain/facts.ts';
import { plannedRuns } from '../../../src/guard/facts/planned-runs.ts';

export const plan: FactsPlan = {
  version: 1,
  judged: 'candidate',
  base: 'a'.repeat(40),
  head: 'b'.repeat(40),
  testPaths: ['test/a.test.js'],
  setup: null,
  testCommand: 'node --test',
  targetTests: ['test/a.test.js::target'],
  runs: 2,
  timeoutMs: 1000,
};

/** One letter for each status: p passed, f failed by assertion, e failed by error, x failed and nobody knows why, s skipped, t todo, a aborted. */
const letters: Readonly<Record<string, Pick<ExecutedTest, 'status' | 'failure' | 'message'>>> = {
  p: { status: 'passed', failure: null, message: null },
  f: { status: 'failed', failure: 'assertion', message: 'AssertionError: 1 !== 2' },
  e: { status: 'failed', failure: 'error', message: 'TypeError: Cannot read properties of undefined' },
  m: { status: 'failed', failure: 'error', message: 'TypeError: clamp is not a function' },
  x: { status: 'failed', failure: 'unknown', message: null },
  s: { status: 'skipped', failure: null, message: null },
  t: { status: 'todo', failure: null, message: null },
  a: { status: 'aborted', failure: null, message: null },
};

/** Tests by name to one letter per run (a blank: the run does not know it); names without `::` are in `test/a.test.js`. */
export type Results = Readonly<Record<string, string>>;

/** Facts as an honest job would deliver them for these results; sides not given are as base. */
export function madeFacts(of: FactsPlan, results: Partial<Record<FactSide, Results>>): Facts {
  const runs = plannedRuns(of).map(({ side, index }): FactRun => {
    const tests = Object.entries(results[side] ?? results.base ?? {}).flatMap(([name, runsOf]) => {
      const letter = letters[runsOf[index - 1] ?? runsOf.at(-1) ?? ' '];
      return letter === undefined
        ? []
        : [{ id: name.includes('::') ? name : `test/a.test.js::${name}`, ...letter }];
    });
    const bad = tests.some(({ status }) => status === 'failed' || status === 'aborted');
    return { side, index, exitCode: bad ? 1 : 0, timedOut: false, durationMs: 5, tests, problem: null };
  });
  return { version: 1, planDigest: digestValue(of), runnerImage: 'test', isolation: 'none', runs };
}
