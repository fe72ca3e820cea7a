import type { LabelEvent, ObservedIssue } from '../domain/snapshot.ts';
import type { TaskState } from '../domain/state.ts';
import { specDigest } from '../spec/digest.ts';
import { dispatchLabel } from '../text/labels.ts';
import { because, type Draft, tasksInOrder } from './draft.ts';
import { newTask } from './new-task.ts';

/** Phases in which a fresh request starts the task (again). */
const startable = new Set(['waiting', 'invalid', 'halted', 'held', 'withdrawn', 'interrupted']);

/** As many as the state's schema takes. */
const keptLabellers = 1000;

/**
 * Takes in issues that carry the dispatch label and consumes each labelled event once. An event is honoured when the
 * person who set it may write now and the body was not edited at or after its second.
 */
export function intake(draft: Draft): void {
  for (const issue of issuesInOrder(draft)) {
    if (!draft.tasks.has(issue.number) && issue.open && issue.labels.includes(dispatchLabel)) {
      draft.tasks.set(issue.number, newTask(issue));
    }
  }
  for (const task of tasksInOrder(draft)) {
    const issue = draft.snapshot.issues.get(task.issue);
    if (issue !== undefined) consumeRequests(draft, task, issue);
  }
}

function issuesInOrder(draft: Draft): ObservedIssue[] {
  return [...draft.snapshot.issues.values()].sort((left, right) => left.number - right.number);
}

function consumeRequests(draft: Draft, task: TaskState, issue: ObservedIssue): void {
  const fresh = issue.requests.filter((event) => !task.consumedEvents.includes(event.eventId));
  const newest = fresh.at(-1);
  if (newest === undefined || newest.actor.mayWrite === null) return;
  if (startable.has(task.phase) && isStopping(task)) return;
  if (!startable.has(task.phase) || !issue.open || !issue.labels.includes(dispatchLabel)) {
    consume(task, fresh);
    // A label on what is over already is taken off again, as every used-up request.
    task.settled = false;
    return;
  }
  consume(task, fresh);
  admit(draft, task, issue, newest);
}

function consume(task: TaskState, events: readonly LabelEvent[]): void {
  task.consumedEvents.push(...events.map((event) => event.eventId));
  const actors = [...task.labelledBy, ...events.map((event) => event.actor.id)];
  task.labelledBy = [...new Set(actors)].slice(-keptLabellers);
}

/** A new generation begins only when the old run was seen over: until then the request waits. */
function isStopping(task: TaskState): boolean {
  return task.attempt !== null && task.attempt.runId !== null && !task.attempt.ended;
}

function admit(draft: Draft, task: TaskState, issue: ObservedIssue, event: LabelEvent): void {
  task.settled = false;
  if (event.actor.mayWrite !== true) return turnDown(task, 'labeller-may-not-write');
  if (issue.lastEditedAt !== null && !isBefore(issue.lastEditedAt, event.at)) {
    return turnDown(task, 'edited-after-request');
  }
  const read = draft.readSpec(issue);
  task.bodyDigest = issue.bodyDigest;
  const { id: actorId, login } = event.actor;
  task.request = { eventId: event.eventId, actorId, login, at: event.at };
  task.attempt = null;
  task.pull = seenOpen(draft, task) ? task.pull : null;
  task.verdict = null;
  task.facts = null;
  task.refused = null;
  task.spent = { ...task.spent, generations: 0, queueEntries: 0 };
  if (read.kind === 'invalid') {
    task.phase = 'invalid';
    task.reason = because('spec-invalid');
    task.specDigest = null;
    return;
  }
  task.specDigest = specDigest(read.spec);
  task.dependsOn = [...new Set([...read.spec.dependsOn, ...(issue.blockedBy ?? [])])].sort((a, b) => a - b);
  task.phase = 'waiting';
  task.reason = issue.author.mayWrite === true ? null : because('needs-confirmation');
}

/** A closed pull request would hold the task again at once; one that still stands open is found by its branch. */
function seenOpen(draft: Draft, task: TaskState): boolean {
  return task.pull !== null && draft.snapshot.pulls.get(task.pull.number)?.open === true;
}

/** The request is used up; the task waits for another one. */
function turnDown(task: TaskState, code: string): void {
  task.phase = 'withdrawn';
  task.reason = because(code);
}

/** GitHub's instants are whole seconds here: the same second counts as after. */
function isBefore(edit: string, request: string): boolean {
  return Math.floor(Date.parse(edit) / 1000) < Math.floor(Date.parse(request) / 1000);
}
