import type { Answer } from '../domain/state.ts';
import { explainAnswer } from '../text/answer-words.ts';
import { type Draft, tasksInOrder } from './draft.ts';
import { intend, intentKeys, isHopeless } from './intend.ts';

/** Remembers a comment to be made, in the same push as what it speaks of: a crash between the two loses nothing. */
export function owe(draft: Draft, answer: Answer): void {
  if (draft.repository.answers.some(({ to }) => to === answer.to)) return;
  draft.repository.answers.push(answer);
}

/** Makes the comments that are owed, until each is seen to stand. One that GitHub will not take is given up. */
export function answers(draft: Draft): void {
  draft.repository.answers = draft.repository.answers.filter(
    ({ to }) => !draft.snapshot.answered.has(to) && !isHopeless(draft, intentKeys.answer(to)),
  );
  for (const { to, number, code, args } of draft.repository.answers) {
    const body = code === 'status' ? statusOf(draft, number) : explainAnswer(code, args);
    intend(draft, intentKeys.answer(to), { kind: 'reply', number, to, body });
  }
}

/** Where things stand now: of the repository on the control issue, else of the one task. */
function statusOf(draft: Draft, number: number): string {
  const task = draft.tasks.get(number);
  if (number !== draft.repository.controlIssue && task !== undefined)
    return `Phase ${task.phase}, generation ${task.generation}; the status comment tells the rest.`;
  const active = tasksInOrder(draft).filter((one) => !one.settled);
  const { pause } = draft.repository;
  const state = pause === null ? 'At work' : `Paused (${pause.code})`;
  const list = active.map((one) => `#${one.issue} ${one.phase}`).join(', ');
  return `${state}. Active: ${list === '' ? 'none' : list}.`;
}
