import { z } from 'zod';
import { issueNumberSchema } from '../../domain/ids.ts';

/** The number at the end of an issue's API address. */
export const issueUrlSchema = z
  .string()
  .regex(/\/issues\/\d{1,10}$/)
  .transform((url) => Number(url.slice(url.lastIndexOf('/') + 1)))
  .pipe(issueNumberSchema);
