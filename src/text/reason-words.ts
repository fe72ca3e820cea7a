import type { Phase, Reason } from '../domain/state.ts';

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
const next = 'The next generation starts.';
const otherStart = 'Dispatch #{of} again, or remove the dependency.';
const confirm = 'Comment `/ccd confirm` and the body digest below.';

/** `{of}` stands for the issue, pull request, run, build or number that the reason names. */
const rows: Record<string, Row> = {
  'waits-for-task': [
    'Depends on task #{of}, which has not landed.',
    machine,
    'The landing of #{of} is proven.',
  ],
  'waits-for-issue': ['Depends on #{of}, which is open.', writer, '#{of} is closed as completed.'],
  'predecessor-withdrawn': ['Depends on #{of}, which was withdrawn.', author, otherStart],
  'predecessor-halted': ['Depends on #{of}, which was given up.', author, otherStart],
  'predecessor-abandoned': ['Depends on #{of}, closed as not planned.', author, 'Remove the dependency.'],
  'dependency-unknown': ['Depends on #{of}, which cannot be read.', author, 'Correct the dependency.'],
  'dependency-cycle': [
    'Its dependencies lead back to itself.',
    author,
    'Remove one dependency of the circle.',
  ],
  'needs-confirmation': ['The author of the issue has no write access.', writer, confirm],
  'paths-owned-by': ['Its allowed paths overlap those of #{of}, which is at work.', machine, '#{of} ends.'],
  'too-many-running': ['{of} tasks run, as many as policy allows.', machine, 'One of them ends.'],
  frozen: ['The repository is frozen.', writer, 'The freeze is lifted.'],
  paused: ['The machine is paused.', writer, 'Comment `/ccd resume` on the control issue.'],
  'spec-invalid': ['The spec cannot be used.', author, `Correct it. ${again}`],
  'spec-edited': ['Title or body was edited after it was echoed.', author, again],
  'edited-after-request': ['The issue was edited after the label was set.', author, again],
  'labeller-may-not-write': ['The label was set by somebody without write access.', writer, again],
  'label-removed': ['The label `ccd:dispatch` was removed.', author, again],
  'issue-closed': ['The issue was closed.', author, `Reopen it. ${again}`],
  'pull-closed': ['The pull request was closed.', writer, again],
  'cancelled-by-command': ['A person cancelled it.', author, again],
  'held-by-command': ['A person put it on hold.', writer, again],
  'unqueued-by-command': ['A person took it out of the merge queue.', writer, again],
  'changes-requested': ['A review of pull request #{of} asks for changes.', machine, next],
  'waits-for-review': [
    'A person has to review the pull request.',
    writer,
    'Approve this very commit, or ask for changes.',
  ],
  'guard-failed': ['The guard refused the candidate of generation {of}.', machine, next],
  'tree-refused': ['The tree may be shown on no branch: see the findings.', machine, next],
  'could-not-judge': [
    'The guard could not judge; the change is not to blame.',
    operator,
    `See the check. ${again}`,
  ],
  'generations-used-up': [
    'The generations that policy allows are used up.',
    author,
    `Make the task clearer. ${again}`,
  ],
  'task-budget-spent': [
    'The dollars that policy allows for the task are spent.',
    writer,
    `Raise the cap. ${again}`,
  ],
  'queue-entries-used-up': ['It was queued {of} times, as often as policy allows.', writer, again],
  'usage-limit': [
    "The model's usage limit is reached.",
    machine,
    'The limit ends: the task then goes on by itself.',
  ],
  'runner-lost': ['The runner was lost.', machine, next],
  'last-tree-not-taken': [
    'The last tree that the worker handed in could not be taken in.',
    machine,
    'The next generation starts.',
  ],
  'worker-not-started': [
    'GitHub would not start the workflow of the worker.',
    operator,
    `See docs/operations.md. ${again}`,
  ],
  'worker-agent-missing': [
    'The agent is not on the runner.',
    operator,
    `Install it, or set the variable CCD_CLAUDE. ${again}`,
  ],
  'issue-gone': ['The issue was deleted or moved away.', 'nobody', 'Nothing: write it anew.'],
  'approval-withdrawn': [
    'The approval was withdrawn before it landed.',
    writer,
    'Approve this very commit, or ask for changes.',
  ],
  'head-moved': ['The pull request shows another commit than the one that was queued.', writer, again],
  'pull-retargeted': ['The pull request has another base than trunk.', writer, again],
  'pull-is-draft': ['The pull request is a draft.', writer, again],
  'empty-change': ['On what landed meanwhile the change is empty.', writer, again],
  'waits-for-runner': ['Run {of} waits for a runner.', operator, 'A runner with its labels is free.'],
  'candidate-gone': ['The commit is no longer to be had from GitHub.', writer, 'Push it again.'],
  'pull-behind': ['Pull request #{of} does not show the candidate yet.', machine, 'GitHub shows it.'],
  'no-change': ['The agent changed nothing inside the allowed paths.', machine, next],
  'no-required-checks': [
    'Policy names no required check, so nothing can be proven.',
    operator,
    `Add one. ${again}`,
  ],
  'no-gate-started': [
    'The required checks did not start in time.',
    operator,
    `Mend the CI trigger. ${again}`,
  ],
  'checks-late': ['The required checks did not end in time.', operator, `Mend the CI. ${again}`],
  'check-interrupted': ['A required check was interrupted.', operator, `Mend the CI. ${again}`],
  'check-failed': ['A required check failed on build {of}.', machine, next],
  'build-refused': ['The guard refused build {of}.', machine, next],
  'merge-conflict': ['The change does not merge with what landed meanwhile.', machine, next],
  'agent-deterministic': [
    'The agent failed in a way that would repeat itself.',
    operator,
    `See the run. ${again}`,
  ],
  'agent-auth': ['The model refused the credentials.', operator, `Mend them. ${again}`],
  'agent-budget': ['The bounds of one attempt were used up.', author, `Make the task smaller. ${again}`],
  'agent-cancelled': ['The attempt was cancelled.', writer, again],
  'agent-empty': ['The agent answered nothing.', author, again],
};

const workingPhases: ReadonlySet<Phase> = new Set<Phase>([
  'waiting',
  'ready',
  'running',
  'reported',
  'guarding',
  'queued',
  'interrupted',
]);

/**
 * What a reason of the state means to a reader. A compound word such as `generations-used-up.guard-failed` gives the sentences of
 * both parts. A word that this table lacks is shown as it is, and the phase tells whose move it is.
 */
export function explainReason(reason: Reason, phase: Phase): ReasonText {
  const [word = '', ...details] = reason.code.split('.');
  const detail = details.join('.');
  const fill = (text: string) => text.replaceAll('{of}', String(reason.of ?? '?'));
  const [why, mover, ends] = rows[word] ?? unexplained(word, phase);
  const more = detail === '' ? '' : ` ${rows[detail]?.[0] ?? unexplained(detail, phase)[0]}`;
  return { why: fill(`${why}${more}`), mover, ends: fill(ends) };
}

function unexplained(word: string, phase: Phase): Row {
  const why = `Reason: ${word.replace(/[-_]/g, ' ')}.`;
  return workingPhases.has(phase) ? [why, machine, 'The machine goes on by itself.'] : [why, writer, again];
}

/** True for words that have a sentence of their own. */
export function isExplained(word: string): boolean {
  return word in rows;
}
