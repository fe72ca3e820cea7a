import type { FactRun } from '../../domain/facts.ts';

/** Why a run cannot be taken as it is; null when it can. */
export type RunFault =
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'unreadable'; readonly detail: string }
  | { readonly kind: 'contradiction'; readonly detail: string };

/** Never trusts an exit code alone, nor a report alone: where they contradict each other, the run says nothing. */
export function runFault(run: FactRun): RunFault | null {
  if (run.timedOut) return { kind: 'timed-out' };
  if (run.tests === null) return { kind: 'unreadable', detail: run.problem ?? 'There is no report.' };
  if (run.problem !== null) return { kind: 'unreadable', detail: run.problem };
  if (new Set(run.tests.map(({ id }) => id)).size !== run.tests.length) {
    return { kind: 'unreadable', detail: 'The report names a test twice.' };
  }
  const bad = run.tests.filter(({ status }) => status === 'failed' || status === 'aborted').length;
  const exit = run.exitCode === null ? 'a signal' : `exit code ${run.exitCode}`;
  if (run.exitCode === 0 && run.tests.some(({ status }) => status === 'failed')) {
    return { kind: 'contradiction', detail: `It ended with ${exit} although ${bad} tests failed.` };
  }
  if (run.exitCode !== 0 && bad === 0) {
    return { kind: 'contradiction', detail: `It ended with ${exit} although no test failed.` };
  }
  return null;
}

/** The fault as a sentence. */
export function faultSentence(fault: RunFault): string {
  switch (fault.kind) {
    case 'timed-out':
      return 'It did not end within its time limit.';
    case 'unreadable':
    case 'contradiction':
      return fault.detail;
  }
}
