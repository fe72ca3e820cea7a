import { createSign } from 'node:crypto';
import { CcdError } from '../domain/errors.ts';

/** GitHub takes at most ten minutes; a minute of grace on both sides for clocks that differ. */
const lifeSeconds = 9 * 60;
const graceSeconds = 60;

export interface AppJwt {
  readonly jwt: string;
  readonly expiresAt: string;
}

/**
 * The token by which an app speaks for itself: RS256 over issuer, time of issue and end. `now`: epoch milliseconds.
 * Throws CcdError `github.private-key-unreadable`.
 */
export function createAppJwt(appId: number | string, privateKey: string, now: number): AppJwt {
  const iat = Math.floor(now / 1000) - graceSeconds;
  const exp = iat + lifeSeconds;
  const head = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ iat, exp, iss: String(appId) })}`;
  return { jwt: `${head}.${sign(head, privateKey)}`, expiresAt: new Date(exp * 1000).toISOString() };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function sign(text: string, privateKey: string): string {
  try {
    // Keys in environment variables often carry their line ends as two characters.
    return createSign('RSA-SHA256').update(text).sign(privateKey.replaceAll('\\n', '\n'), 'base64url');
  } catch (cause) {
    throw new CcdError({
      code: 'github.private-key-unreadable',
      message: "The app's private key cannot be read.",
      remedy: 'Give the PEM file that GitHub handed out for the app, whole.',
      audience: 'operator',
      cause,
    });
  }
}
