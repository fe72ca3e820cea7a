import type { Answer, Member, RepositoryState } from '../domain/state.ts';
import { explainAnswer } from '../text/answer-words.ts';
import { type Draft, tasksInOrder } from './draft.ts';
import { intend, intentKeys, isHopeless } from './intend.ts';

/** Well under what the state's schema takes: what GitHub does not take away in time must not make the state unreadable. */
const mostOwed = 500;

/** Remembers a comment to be made, in the same push as what it speaks of: a crash between the two loses nothing. */
export function owe(draft: Draft, answer: Answer): void {
  draft.repository = withAnswer(draft.repository, answer);
}

export function withAnswer(repository: RepositoryState, answer: Answer): RepositoryState {
  const { answers } = repository;
  if (answers.length >= mostOwed || answers.some(({ to }) => to === answer.to)) return repository;
  return { ...repository, answers: [...answers, answer] };
}

/** A person's pull request has no status comment: what became of its place in the queue is told in a comment of its own. */
export function handBackAnswer(member: Member, why: string, build: number | null): Answer {
  return {
    to: `back-${member.number}-${build ?? 'unbuilt'}-${member.candidate.slice(0, 12)}`,
    number: member.number,
    code: `back.${why}`.slice(0, 80),
    args: [member.candidate, build === null ? '' : String(build)],
  };
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
