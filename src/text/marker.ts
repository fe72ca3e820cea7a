import type { z } from 'zod';
import { canonicalJson } from '../domain/digest.ts';

/** Where a marker may stand. */
export type MarkerSurface = 'status' | 'pull' | 'control' | 'reply' | 'guard' | 'landing';

/**
 * The hidden first line of a text of ours. Its JSON holds no `<`, `>` or double dash, so no value can end the comment early.
 */
export function renderMarker(surface: MarkerSurface, data: unknown): string {
  const json = canonicalJson(data).replace(/[<>]|--/g, (mark) =>
    [...mark].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  );
  return `<!-- ccd:${surface} ${json} -->`;
}

/**
 * The data of the marker in the first line of a body, or null when there is none that the schema accepts. Only the first line is
 * looked at: foreign text is always rendered below it. Anybody can write a marker, so it is a projection, never a source.
 */
export function parseMarker<T extends z.ZodType>(
  surface: MarkerSurface,
  body: string,
  schema: T,
): z.infer<T> | null {
  const [first = ''] = body.split(/\r\n|\r|\n/, 1);
  const match = /^<!-- ccd:([a-z]+) (\{.*\}) -->$/.exec(first);
  if (match === null || match[1] !== surface) return null;
  const data = readJson(match[2] ?? '');
  const checked = schema.safeParse(data);
  return checked.success ? (checked.data as z.infer<T>) : null;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // Text that is not JSON is simply no marker; any other fault is ours.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
