import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CcdError } from '../../domain/errors.ts';

/** Raise it whenever a record of the local GitHub changes its shape: an older file would be read as what it is not. */
export const SAVED_VERSION = 1;

const FORMAT = 'ccd-local-github';

/** What the header of every version has. */
const AnyHeader = z.object({ format: z.literal(FORMAT), version: z.number().int() });

const Header = AnyHeader.extend({
  /** ISO 8601. */
  savedAt: z.string(),
  /** sha256 of the text below, hex. */
  digest: z.string(),
});

/** The text of a saved state as a file: a line that says what it is, then the text. */
export function asSavedFile(text: string, now: number): string {
  const header: z.infer<typeof Header> = {
    format: FORMAT,
    version: SAVED_VERSION,
    savedAt: new Date(now).toISOString(),
    digest: digestOf(text),
  };
  return `${JSON.stringify(header)}\n${text}\n`;
}

/** The text in a file. Throws `local.data-version` for another version, `local.data-broken` for one that is not whole. */
export function fromSavedFile(file: string, path: string): string {
  const end = file.indexOf('\n');
  const line = parseJson(file.slice(0, end));
  const { data: any } = AnyHeader.safeParse(line);
  if (any && any.version !== SAVED_VERSION)
    throw new CcdError({
      code: 'local.data-version',
      message: `${path} was written in version ${any.version} of its format; this ccd reads version ${SAVED_VERSION}.`,
      remedy: 'Open it with the ccd that wrote it, or name another folder with --data; nothing was changed.',
      audience: 'operator',
    });
  const header = Header.safeParse(line);
  if (!header.success) throw broken(path);
  const text = file.slice(end + 1).replace(/\n$/, '');
  if (digestOf(text) !== header.data.digest) throw broken(path);
  return text;
}

/** The fault of a folder whose state cannot be read. */
export function broken(path: string, cause?: unknown): CcdError {
  return new CcdError({
    code: 'local.data-broken',
    message: `${path} is no state of a local GitHub, or it is damaged.`,
    remedy: 'Put a copy of the whole folder back, or name another folder with --data; nothing was changed.',
    audience: 'operator',
    cause,
  });
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is no JSON is no header either; the caller says so.
    return null;
  }
}
