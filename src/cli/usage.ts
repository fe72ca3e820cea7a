import { CcdError } from '../domain/errors.ts';

/** The fault of a command line that cannot be obeyed. */
export function usage(message: string, remedy: string, cause?: unknown): CcdError {
  return new CcdError({ code: 'cli.usage', message, remedy, audience: 'operator', cause });
}
