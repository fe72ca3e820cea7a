import type { Answer } from '../domain/state.ts';
import type { Draft } from './draft.ts';
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
  for (const { to, number, body } of draft.repository.answers) {
    intend(draft, intentKeys.answer(to), { kind: 'reply', number, to, body });
  }
}
