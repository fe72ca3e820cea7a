import { z } from 'zod';
import { CcdError } from '../../domain/errors.ts';

/** A recorded run, as far as its outcome is judged; the other fields of the format are left aside. */
const recordingSchema = z.object({
  name: z.string().min(1),
  /** A file of the folder itself; `<name>.jsonl` unless given. */
  file: z
    .string()
    .regex(/^[^/\\]+$/, 'it has to lie in the folder itself')
    .optional(),
  argv: z.array(z.string()).default([]),
  exit_code: z.number().int().nullable().default(null),
  signal: z.string().nullable().default(null),
  /** What the recorder sent to the run, if anything. */
  sent_signal: z.string().nullable().default(null),
  /** The work tree afterwards: lines of `git status --porcelain`, and the files that commits changed. */
  git: z
    .object({
      status: z.array(z.string()).default([]),
      committed: z.array(z.string()).default([]),
    })
    .optional(),
  /** Files besides the plain repository, by path; `repo:` marks those of its first commit. */
  files: z.record(z.string(), z.string()).default({}),
  expected: z.object({ class: z.string(), reason: z.string().default(''), retry: z.boolean() }),
});
export type Recording = z.infer<typeof recordingSchema>;

const manifestSchema = z.object({ scenarios: z.array(recordingSchema).min(1) });

/** Reads the text of a `manifest.json`. Throws CcdError `classify.manifest` with what is wrong with it. */
export function parseManifest(text: string, path: string): readonly Recording[] {
  const parsed = manifestSchema.safeParse(jsonOf(text, path));
  if (parsed.success) return parsed.data.scenarios;
  const issue = parsed.error.issues[0];
  throw unusable(path, `${issue?.path.join('.') || 'the document'}: ${issue?.message ?? 'no reason'}`);
}

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unusable(path, 'it is no JSON', cause);
  }
}

function unusable(path: string, why: string, cause?: unknown): CcdError {
  return new CcdError({
    code: 'classify.manifest',
    message: `The manifest ${path} cannot be used (${why}).`,
    remedy: 'Its form is told in fixtures/transcripts/README.md.',
    audience: 'operator',
    cause,
  });
}
