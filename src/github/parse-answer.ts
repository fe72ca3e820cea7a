import type { z } from 'zod';
import { CcdError } from '../domain/errors.ts';

/**
 * Reads an answer through the schema of the fields that we use.
 * Throws CcdError `github.unexpected-answer`, naming fields but never their values.
 */
export function parseAnswer<S extends z.ZodType>(call: string, schema: S, data: unknown): z.output<S> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.') || '(root)'}: ${issue.code}`);
  throw new CcdError({
    code: 'github.unexpected-answer',
    message: `${call}: the answer has not the expected shape (${fields.join(', ')}).`,
    remedy: 'Report this with the log of the run.',
    audience: 'bug',
  });
}
