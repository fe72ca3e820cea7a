import type { ObservedCommand } from '../domain/snapshot.ts';
import type { TaskState } from '../domain/state.ts';
import { joinQueue, leaveQueue } from '../landing/membership.ts';
import { type CommentCommand, parseCommentCommand } from '../spec/comment-command.ts';
import { owe } from './answers.ts';
import { because, type Draft, instant } from './draft.ts';
import { end } from './withdraw.ts';

const keptComments = 2_000;

type Answer =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'refused'; readonly text: string };

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
      owe(draft, { to: String(command.commentId), number: command.number, body: answer.text });
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
  if (command.actor.mayWrite !== true) return refused('Only people with write access command ccd.');
  if (reading.kind === 'malformed') return refused(reading.reason);
  const parsed = reading.command;
  const { verb } = parsed;
  if (verb === 'pause' || verb === 'resume') return pauseOrResume(draft, command, verb);
  if (verb === 'queue' || (verb === 'unqueue' && command.onPull)) return queuePull(draft, command, parsed);
  if (verb === 'status' && command.number === draft.repository.controlIssue) return statusOf(draft);
  const task = draft.tasks.get(command.number);
  if (task === undefined) return refused('There is no task here that ccd works on.');
  return obeyOnTask(draft, command, task, parsed);
}

function obeyOnTask(draft: Draft, command: ObservedCommand, task: TaskState, parsed: CommentCommand): Answer {
  if (task.phase === 'landed' && parsed.verb !== 'status') return refused('It has landed.');
  switch (parsed.verb) {
    case 'cancel':
      end(draft, task, 'withdrawn', 'cancelled-by-command');
      return done('Cancelled.');
    case 'hold':
      end(draft, task, 'held', 'held-by-command');
      return done('Held. Label the issue again to go on.');
    case 'unqueue':
      draft.queue = leaveQueue(draft.queue, task.issue);
      if (task.phase === 'queued') {
        task.phase = 'held';
        task.reason = because('unqueued-by-command');
      }
      return done('Taken out of the merge queue.');
    case 'confirm':
      if (task.reason?.code !== 'needs-confirmation')
        return refused('Nothing waits for a confirmation here.');
      if (task.bodyDigest !== parsed.digest) return refused('That is not the digest of the echoed spec.');
      task.reason = null;
      return done('Confirmed.');
    case 'status':
      return done(`Phase ${task.phase}, generation ${task.generation}; the status comment tells the rest.`);
    case 'waive':
      return waive(draft, command, task, parsed.fingerprint);
    default:
      return refused('That command has no meaning on this issue.');
  }
}

function pauseOrResume(draft: Draft, command: ObservedCommand, verb: 'pause' | 'resume'): Answer {
  if (command.number !== draft.repository.controlIssue)
    return refused('Pause and resume are said on the control issue.');
  draft.repository.pause =
    verb === 'pause' ? { by: 'person', code: 'paused-by-command', at: instant(draft.snapshot.now) } : null;
  return done(verb === 'pause' ? 'Paused: nothing starts and nothing lands.' : 'Resumed.');
}

function statusOf(draft: Draft): Answer {
  const active = [...draft.tasks.values()]
    .filter((task) => !task.settled)
    .map((task) => `#${task.issue} ${task.phase}`);
  const state = draft.repository.pause === null ? 'At work' : `Paused (${draft.repository.pause.code})`;
  return done(`${state}. Active: ${active.length === 0 ? 'none' : active.sort().join(', ')}.`);
}

/**
 * A waiver comes from a person who neither wrote nor labelled the issue, unless trunk's policy says `waivers: self`, and covers
 * one finding with exactly its inputs.
 */
function waive(draft: Draft, command: ObservedCommand, task: TaskState, fingerprint: string): Answer {
  const issue = draft.snapshot.issues.get(task.issue);
  const involved = [issue?.author.id, ...task.labelledBy];
  if (draft.policy.waivers !== 'self' && involved.includes(command.actor.id)) {
    return refused('A waiver comes from somebody who neither wrote nor labelled the issue.');
  }
  const known = [
    ...(task.verdict?.findings ?? []),
    ...(task.refused?.findings ?? []),
    ...(task.candidate?.staticFindings ?? []),
  ];
  const finding = known.find((entry) => entry.fingerprint === fingerprint);
  if (finding === undefined) return refused('No standing finding has that fingerprint.');
  draft.repository.waivers.push({
    fingerprint: finding.fingerprint,
    issue: task.issue,
    actorId: command.actor.id,
    commentId: command.commentId,
    at: command.at,
  });
  reopenForJudging(task);
  return done(`Waived: one finding of ${finding.rule}. The candidate is judged again.`);
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
  if (!command.onPull || pull === undefined) return refused('Only a pull request can be queued.');
  if (parsed.verb === 'unqueue') {
    draft.queue = leaveQueue(draft.queue, pull.number);
    return done('Taken out of the merge queue.');
  }
  if (parsed.verb !== 'queue') return refused('That command has no meaning on a pull request.');
  if (!pull.open || pull.draft) return refused('The pull request is closed or a draft.');
  if (pull.base !== draft.snapshot.repository.trunk) return refused('Its base is not trunk.');
  if (pull.head !== parsed.commit)
    return refused(`Its head is ${pull.head}, which is not the commit that was named.`);
  if (pull.headRef.startsWith('ccd/')) return refused('That branch belongs to ccd.');
  draft.queue = joinQueue(draft.queue, {
    kind: 'pull',
    number: pull.number,
    pull: pull.number,
    candidate: parsed.commit,
    keyDigest: null,
    queuedAt: instant(draft.snapshot.now),
    requestedBy: command.actor.id,
  });
  return done(`Queued: ${parsed.commit} and no other commit.`);
}

function done(text: string): Answer {
  return { kind: 'done', text };
}

function refused(text: string): Answer {
  return { kind: 'refused', text: `Not done. ${text}` };
}
