import type { Failure, RefusalKind } from '../classify.ts';
import type { WriteAnswer } from '../client.ts';

/** Why a write had no effect. */
export interface Refused {
  readonly kind: 'refused';
  readonly reason: RefusalKind | 'no-commits' | 'nothing-to-do';
  /** One line of the server's, not to be trusted. */
  readonly message: string;
}

/**
 * What came of one write. `exists`: what was wanted already is so. `unclear`: it may have had its effect; read before it is
 * made again. None of these is thrown.
 */
export type WriteOutcome<Done extends object = object, Exists extends object = object> =
  | ({ readonly kind: 'done' } & Readonly<Done>)
  | ({ readonly kind: 'exists' } & Readonly<Exists>)
  | NotDone;

export type NotDone =
  | Refused
  | { readonly kind: 'unclear'; readonly cause: string }
  | { readonly kind: 'rate-limited'; readonly retryAtMs: number };

/** A failed write as an outcome. */
export function notDone(failure: Failure): NotDone {
  if (failure.kind === 'rate-limited') return { kind: 'rate-limited', retryAtMs: failure.retryAtMs };
  if (failure.kind === 'unclear') return { kind: 'unclear', cause: failure.message };
  return { kind: 'refused', reason: failure.kind, message: failure.message };
}

/** An answered write as an outcome; `done` picks from the answer what the caller records. */
export function outcomeOf<T, Done extends object>(
  answer: WriteAnswer<T>,
  done: (data: T) => Done,
): ({ readonly kind: 'done' } & Readonly<Done>) | NotDone {
  return answer.kind === 'done' ? { kind: 'done', ...done(answer.data) } : notDone(answer.failure);
}

/** Like `outcomeOf` for writes whose failure of one kind means that nothing was left to do. */
export function outcomeUnless<T>(
  answer: WriteAnswer<T>,
  alreadySo: RefusalKind,
): { readonly kind: 'done' } | { readonly kind: 'exists' } | NotDone {
  if (answer.kind === 'failed' && answer.failure.kind === alreadySo) return { kind: 'exists' };
  return outcomeOf(answer, () => ({}));
}
