import type { SecretMatch } from './secret-rules.ts';

/** Shapes of credentials that must never be published, each with the name by which a refusal speaks of it. */
const shapes: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: 'github-token', pattern: /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{30,255}\b/g },
  { name: 'github-token', pattern: /\bgithub_pat_[A-Za-z0-9_]{60,255}\b/g },
  { name: 'anthropic-key', pattern: /\bsk-ant-[A-Za-z0-9_-]{20,255}/g },
  { name: 'aws-key', pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { name: 'slack-token', pattern: /\bxox[abprs]-[A-Za-z0-9-]{10,255}/g },
  { name: 'npm-token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { name: 'google-key', pattern: /\bAIza[A-Za-z0-9_-]{35}\b/g },
  {
    name: 'private-key',
    pattern:
      /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,200}?[A-Za-z0-9+/]{40}(?:[\s\S]{0,20000}?-----END [A-Z ]+-----)?/g,
  },
];

/** Name under which the values that a redactor was given are found. */
export const knownSecret = 'known-secret';

/** Values shorter than this are no secrets worth finding: they would blank out ordinary words. */
const shortestSecret = 8;

export interface Redactor {
  /** The text with every known secret and everything shaped like one replaced by `***`. */
  clean(text: string): string;
  /** What was found, `known-secret` or by a shape's name; empty when the content may be published. */
  matches(content: string): SecretMatch[];
}

/** Text of any bytes: latin1 keeps each, and all shapes and spellings but exotic known values are ASCII. */
export function textOf(content: string | Uint8Array): string {
  if (typeof content === 'string') return content;
  return Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1');
}

/**
 * Finds known secret values (as they are, and as base64 or URL-encoded text) and texts shaped like credentials. The
 * values stay inside: a finding names the shape, never the value.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const known = [...new Set(secrets.filter((secret) => secret.length >= shortestSecret).flatMap(spellings))];
  known.sort((left, right) => right.length - left.length);
  return {
    clean: (text) => {
      const withoutKnown = known.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
      return shapes.reduce((rest, { pattern }) => rest.replace(pattern, '***'), withoutKnown);
    },
    matches: (content) => [
      ...known.filter((value) => content.includes(value)).map((value) => ({ name: knownSecret, value })),
      ...shapes.flatMap(({ name, pattern }) =>
        [...content.matchAll(pattern)].map(([value]) => ({ name, value })),
      ),
    ],
  };
}

function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [
    secret,
    bytes.toString('latin1'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    encodeURIComponent(secret),
  ];
}
