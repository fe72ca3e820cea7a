import { z } from 'zod';

/** GitHub counts characters, not UTF-16 units; none of these limits ever truncates. */
const fits = (text: string, max: number): boolean => text.length <= max || [...text].length <= max;

const limited = (field: string, max: number) =>
  z.string().refine((text) => fits(text, max), {
    message: `${field} is too long (maximum is ${max} characters)`,
    params: { code: 'custom' },
  });

export const Title = z.string().min(1).pipe(limited('title', 256));
export const Body = limited('body', 65_536);
export const LabelName = z.string().min(1).pipe(limited('name', 50));
export const LabelDescription = limited('description', 100);

/** Comments have the limit of bodies (262,144 bytes of four-byte characters), and words of their own for it. */
export const CommentBody = z
  .string()
  .min(1)
  .refine((text) => fits(text, 65_536), {
    message: 'Body is too long (maximum is 65536 characters)',
    params: { code: 'unprocessable', field: 'data' },
  });

export const MAX_LABELS = 100;

/** GitHub's letters of a repository's name; `.` and `..` are folders. */
export const RepositoryName = z.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/);
