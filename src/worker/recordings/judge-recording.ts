import type { ChildExit } from '../../host/child.ts';
import { type ClassifiedOutcome, classifyRun, outcomeOf } from '../claude/outcome.ts';
import type { OutcomeReason } from '../claude/outcome-table.ts';
import type { StreamSummary } from '../claude/stream-summary.ts';
import { wroteClosedPath } from './closed-paths.ts';
import type { Recording } from './manifest.ts';

/** Endings that a signal explains; a run that had told its own before keeps it. */
const endedBySignal: ReadonlySet<OutcomeReason> = new Set<OutcomeReason>([
  'interrupt',
  'error-during-execution',
  'no-result',
  'killed',
  'runner-lost',
  'cli-usage',
  'spawn-failed',
]);

/** What the outcome table makes of a recorded run: from its stream, its exit, what was sent to it, and its work tree. */
export function judgeRecording(recording: Recording, summary: StreamSummary): ClassifiedOutcome {
  const exit: ChildExit = {
    kind: 'exited',
    exitCode: recording.exit_code,
    signal: recording.signal as NodeJS.Signals | null,
  };
  const schemaAsked = recording.argv.some((word) => /^--json-schema(?:=|$)/.test(word));
  const own = classifyRun({ exit, summary, stopped: null, schemaAsked });
  if (recording.sent_signal !== null && endedBySignal.has(own.reason)) return outcomeOf('cancelled');
  const isFinished = own.class === 'success' || own.class === 'empty';
  return isFinished && wroteClosedPath(recording) ? outcomeOf('policy-violation') : own;
}
