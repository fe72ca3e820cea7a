import { createHash } from 'node:crypto';
import { z } from 'zod';

/** `sha256:` and 64 lower-case hexadecimal digits. */
export const digestSchema = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'not a digest');
export type Digest = z.infer<typeof digestSchema>;

/** Digest of bytes, or of a text as UTF-8. */
export function digestBytes(content: Uint8Array | string): Digest {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** Digest of plain data: equal data give equal digests whatever the order of keys. */
export function digestValue(value: unknown): Digest {
  return digestBytes(canonicalJson(value));
}

/**
 * JSON text with sorted keys and without blanks; keys whose value is undefined are left out, as JSON.stringify does.
 * Throws a TypeError for values that JSON cannot carry (functions, bigint, non-finite numbers).
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`no JSON for ${value}`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`no JSON for ${typeof value}`);
  const entries = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
}
