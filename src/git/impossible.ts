import { CcdError } from '../domain/errors.ts';

/** The fault of an answer of git that its documentation rules out. */
export function impossibleAnswer(what: string): CcdError {
  return new CcdError({
    code: 'git.impossible-answer',
    message: `git gave an answer that it should not give: ${what}.`,
    remedy: 'Report this with the version of git and the log of the run.',
    audience: 'bug',
  });
}
