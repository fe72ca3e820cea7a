import type { Reason } from '../domain/state.ts';

/** Whose move it is. */
export type Mover = 'the machine' | 'the author' | 'a person with write access' | 'an operator' | 'nobody';

export interface ReasonText {
  /** Why the task stands where it stands. */
  readonly why: string;
  readonly mover: Mover;
  /** What would end it. */
  readonly ends: string;
}

type Row = readonly [why: string, mover: Mover, ends: string];

const author: Mover = 'the author';
const machine: Mover = 'the machine';
const writer: Mover = 'a person with write access';
const operator: Mover = 'an operator';
const again = 'Set the label `ccd:dispatch` again.';

/** `{of}` stands for the issue, run or build that the reason names. */
const rows: Record<string, Row> = {
  'waits-for-task': [
    'Depends on task #{of}, which has not landed.',
    machine,
    'The landing of #{of} is proven.',
  ],
  'waits-for-issue': ['Depends on #{of}, which is open.', writer, '#{of} is closed as completed.'],
  'predecessor-withdrawn': [
    'Depends on #{of}, which was withdrawn.',
    author,
    'Dispatch #{of} again, or remove the dependency.',
  ],
  'predecessor-halted': [
    'Depends on #{of}, which was given up.',
    author,
    'Dispatch #{of} again, or remove the dependency.',
  ],
  'predecessor-abandoned': [
    'Depends on #{of}, which was closed as not planned.',
    author,
    'Remove the dependency.',
  ],
  'dependency-unknown': ['Depends on #{of}, which cannot be read.', author, 'Correct the dependency.'],
  'dependency-cycle': [
    'Its dependencies lead back to itself.',
    author,
    'Remove one dependency of the circle.',
  ],
  'needs-confirmation': [
    'The author of the issue has no write access.',
    writer,
    'Comment `/ccd confirm` with the body digest below.',
  ],
  'path-conflict': ['Its allowed paths overlap those of #{of}, which is at work.', machine, '#{of} ends.'],
  'running-cap': ['As many tasks run as policy allows.', machine, 'One of them ends.'],
  frozen: ['The repository is frozen.', writer, 'The freeze is lifted.'],
  paused: ['The machine is paused.', writer, 'Comment `/ccd resume` on the control issue.'],
  'spec-invalid': ['The spec cannot be used.', author, `Correct it. ${again}`],
  'spec-edited': ['Title or body was edited after it was echoed.', author, again],
  'edited-after-request': ['The body was edited after the label was set.', author, again],
  'no-write-access': ['The label was set by somebody without write access.', writer, again],
  'label-removed': ['The label `ccd:dispatch` was removed.', author, again],
  'issue-closed': ['The issue was closed.', author, `Reopen it. ${again}`],
  'pull-closed': ['The pull request was closed.', writer, `Reopen it. ${again}`],
  'cancelled-by-person': ['A person cancelled it.', author, again],
  'held-by-person': ['A person put it on hold.', writer, again],
  'guard-failed': [
    'The guard refused the candidate.',
    machine,
    'The next generation starts with the findings.',
  ],
  'could-not-judge': [
    'The guard could not judge; the change is not to blame.',
    operator,
    `See the check's summary. ${again}`,
  ],
  'generations-used-up': [
    'The generations that policy allows are used up.',
    author,
    `Make the task smaller or clearer. ${again}`,
  ],
  'budget-used-up': ['The dollars that policy allows are used up.', writer, `Raise policy's cap. ${again}`],
  'queue-entries-used-up': ['It left the merge queue as often as policy allows.', writer, again],
  'runner-lost': ['The runner was lost.', machine, 'The next generation takes over.'],
  'no-change': [
    'The agent changed nothing inside the allowed paths.',
    author,
    `Make the task clearer. ${again}`,
  ],
  'merge-conflict': [
    'The change does not merge with what landed meanwhile.',
    machine,
    'The next generation starts on the new base.',
  ],
};

/** What a reason of the state means to a reader. A word that this table lacks is shown as it is. */
export function explainReason(reason: Reason): ReasonText {
  const row = rows[reason.code];
  const fill = (text: string) => text.replaceAll('{of}', String(reason.of ?? '?'));
  if (row === undefined) return { why: `${reason.code.replace(/[-_.]/g, ' ')}.`, mover: writer, ends: again };
  return { why: fill(row[0]), mover: row[1], ends: fill(row[2]) };
}

/** The words that have a sentence of their own, for a test that compares them with the words that planners use. */
export const explainedReasons: readonly string[] = Object.keys(rows);
