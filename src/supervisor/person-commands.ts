import type { ObservedCommand } from '../domain/snapshot.ts';
import type { Answer as Owed, TaskState } from '../domain/state.ts';
import { joinQueue, leaveQueue } from '../landing/membership.ts';
import { type CommentCommand, parseCommentCommand } from '../spec/comment-command.ts';
import { owe } from './answers.ts';
import { because, type Draft, instant } from './draft.ts';
import { end } from './withdraw.ts';

const keptComments = 2_000;

/** What is answered: a word of `text/answer-words.ts`, and what stands in its gaps. */
type Answer = Pick<Owed, 'code' | 'args'>;

/**
 * Obeys `/ccd …` comments, each once. A comment that was edited, or whose author may not write, is no command. Every one
 * that was read is remembered, so that a repeated delivery or a second reader does nothing.
 */
export function personCommands(draft: Draft): void {
  for (const command of draft.snapshot.commands) {
    if (draft.repository.consumedComments.includes(command.commentId)) continue;
    if (command.actor.mayWrite === null) continue;
    consume(draft, command);
    const answer = obey(draft, command);
    if (answer !== null) {
      owe(draft, { to: String(command.commentId), number: command.number, ...answer });
    }
  }
}

function consume(draft: Draft, command: ObservedCommand): void {
  draft.repository.consumedComments = [...draft.repository.consumedComments, command.commentId].slice(
    -keptComments,
  );
  const seen = draft.repository.commentsSeenUntil;
  if (seen === null || Date.parse(command.at) > Date.parse(seen))
    draft.repository.commentsSeenUntil = command.at;
}

function obey(draft: Draft, command: ObservedCommand): Answer | null {
  const reading = parseCommentCommand(command.body);
  if (reading.kind === 'none' || command.edited) return null;
  // Strangers get no answer: each would be a comment that they make us write.
  if (command.actor.mayWrite !== true) return null;
  if (reading.kind === 'malformed') return no(reading.problem, reading.verb ?? '');
  const parsed = reading.command;
  const { verb } = parsed;
  if (verb === 'pause' || verb === 'resume') return pauseOrResume(draft, command, verb);
  const ofPull = command.onPull ? taskOfPull(draft, command.number) : undefined;
  if (ofPull !== undefined && verb !== 'queue') return obeyOnTask(draft, command, ofPull, parsed);
  if (verb === 'queue' || (verb === 'unqueue' && command.onPull)) return queuePull(draft, command, parsed);
  if (verb === 'status' && command.number === draft.repository.controlIssue) return yes('status');
  const task = draft.tasks.get(command.number);
  if (task === undefined) return no('task');
  return obeyOnTask(draft, command, task, parsed);
}

/** The task that offers its candidate by a pull request. */
function taskOfPull(draft: Draft, number: number): TaskState | undefined {
  return [...draft.tasks.values()].find((task) => task.pull?.number === number);
}

/** A command that was said before the label was set (again) is history: the label is the newer word. */
function isOlderThanRequest(task: TaskState, command: ObservedCommand): boolean {
  return task.request !== null && Date.parse(command.at) < Date.parse(task.request.at);
}

function obeyOnTask(draft: Draft, command: ObservedCommand, task: TaskState, parsed: CommentCommand): Answer {
  if (task.phase === 'landed' && parsed.verb !== 'status') return no('landed');
  switch (parsed.verb) {
    case 'cancel':
      if (isOlderThanRequest(task, command)) return no('older');
      end(draft, task, 'withdrawn', 'cancelled-by-command');
      return yes('cancelled');
    case 'hold':
      if (isOlderThanRequest(task, command)) return no('older');
      end(draft, task, 'held', 'held-by-command');
      return yes('held');
    case 'unqueue':
      draft.queue = leaveQueue(draft.queue, task.issue);
      if (task.phase === 'queued') {
        task.phase = 'held';
        task.reason = because('unqueued-by-command');
      }
      return yes('unqueued');
    case 'confirm':
      if (task.reason?.code !== 'needs-confirmation') return no('confirmation');
      if (task.bodyDigest !== parsed.digest) return no('other-digest');
      task.reason = null;
      return yes('confirmed');
    case 'status':
      return yes('status');
    case 'waive':
      return waive(draft, command, task, parsed.fingerprint);
    default:
      return no('meaning');
  }
}

function pauseOrResume(draft: Draft, command: ObservedCommand, verb: 'pause' | 'resume'): Answer {
  if (command.number !== draft.repository.controlIssue) return no('control-issue');
  draft.repository.pause =
    verb === 'pause' ? { by: 'person', code: 'paused-by-command', at: instant(draft.snapshot.now) } : null;
  return yes(verb === 'pause' ? 'paused' : 'resumed');
}

/**
 * A waiver comes from a person who neither wrote, edited nor labelled the issue, unless trunk's policy says `waivers: self`, and
 * covers one finding with exactly its inputs.
 */
function waive(draft: Draft, command: ObservedCommand, task: TaskState, fingerprint: string): Answer {
  const issue = draft.snapshot.issues.get(task.issue);
  const involved = [issue?.author.id, ...(issue?.editors ?? []), ...task.labelledBy];
  if (draft.policy.waivers !== 'self' && involved.includes(command.actor.id)) {
    return no('own-waiver');
  }
  const known = [
    ...(task.verdict?.findings ?? []),
    ...(task.refused?.findings ?? []),
    ...(task.candidate?.staticFindings ?? []),
  ];
  const finding = known.find((entry) => entry.fingerprint === fingerprint);
  if (finding === undefined) return no('finding');
  draft.repository.waivers.push({
    fingerprint: finding.fingerprint,
    issue: task.issue,
    actorId: command.actor.id,
    commentId: command.commentId,
    at: command.at,
  });
  reopenForJudging(task);
  return yes('waived', finding.rule);
}

/** The candidate that was refused is offered again; the waiver's digest makes its key another one. */
function reopenForJudging(task: TaskState): void {
  if (
    (task.candidate === null && task.refused === null) ||
    !['halted', 'guarding', 'held', 'ready'].includes(task.phase)
  )
    return;
  task.phase = 'guarding';
  task.verdict = null;
  task.settled = false;
  task.reason = null;
}

function queuePull(draft: Draft, command: ObservedCommand, parsed: CommentCommand): Answer {
  const pull = draft.snapshot.pulls.get(command.number);
  if (!command.onPull || pull === undefined) return no('pull');
  if (parsed.verb === 'unqueue') {
    draft.queue = leaveQueue(draft.queue, pull.number);
    return yes('unqueued');
  }
  if (parsed.verb !== 'queue') return no('meaning-on-pull');
  if (!pull.open || pull.draft) return no('pull-closed');
  if (pull.base !== draft.snapshot.repository.trunk) return no('other-base');
  if (pull.head !== parsed.commit) return no('other-head', pull.head);
  if (pull.headRef.startsWith('ccd/')) return no('own-branch');
  draft.queue = joinQueue(draft.queue, {
    kind: 'pull',
    number: pull.number,
    pull: pull.number,
    candidate: parsed.commit,
    keyDigest: null,
    queuedAt: instant(draft.snapshot.now),
    requestedBy: command.actor.id,
  });
  return yes('queued', parsed.commit);
}

function yes(code: string, ...args: string[]): Answer {
  return { code, args };
}

function no(code: string, ...args: string[]): Answer {
  return { code: `no.${code}`, args };
}
