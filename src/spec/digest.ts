import { type Digest, digestValue } from '../domain/digest.ts';
import type { TaskSpec } from '../domain/spec.ts';

/** Digest of a parsed spec with policy's defaults filled in. */
export function specDigest(spec: TaskSpec): Digest {
  return digestValue(spec);
}

/** Digest of an issue's title and body, character for character, as they were echoed; GitHub's null body is the empty text. */
export function bodyDigest(title: string, body: string | null): Digest {
  return digestValue({ title, body: body ?? '' });
}
