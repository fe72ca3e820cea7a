import { createVerify } from 'node:crypto';
import { z } from 'zod';
import type { Principal } from './principal.ts';
import { badCredentials, forbidden, problem, type Reply } from './reply.ts';
import type { Store } from './store.ts';

/** Id of GitHub's own Actions app, as on github.com. */
export const ACTIONS_APP_ID = 15_368;

/** GitHub's words for whatever a suspended installation asks for. */
export const SUSPENDED = 'This installation has been suspended';

export type Authentication =
  | { readonly kind: 'principal'; readonly principal: Principal }
  | { readonly kind: 'refused'; readonly reply: Reply };

/** Reads an `Authorization` header: `Bearer`, `token` or `Basic` with the token as password. None is anonymous. */
export function authenticate(store: Store, header: string | undefined): Authentication {
  const token = tokenOf(header);
  if (token === null) return { kind: 'principal', principal: { kind: 'anonymous' } };
  if (token.split('.').length === 3 && token.startsWith('eyJ')) return authenticateJwt(store, token);
  const grant = store.grantOf(token);
  if (!grant) return { kind: 'refused', reply: badCredentials() };
  if (grant.kind === 'user') return principal({ kind: 'user', user: grant.user });
  if (grant.expiresAt <= store.now()) return { kind: 'refused', reply: badCredentials() };
  if (grant.kind === 'job') {
    const { repositoryId, runId, permissions } = grant;
    return principal({ kind: 'job', app: store.apps.get(ACTIONS_APP_ID)!, repositoryId, runId, permissions });
  }
  const { installation, permissions, repositories } = grant;
  if (installation.suspendedAt !== null) return { kind: 'refused', reply: forbidden(SUSPENDED) };
  return principal({ kind: 'installation', app: installation.app, installation, permissions, repositories });
}

const principal = (value: Principal): Authentication => ({ kind: 'principal', principal: value });

function tokenOf(header: string | undefined): string | null {
  const match = /^(bearer|token|basic)\s+(\S+)\s*$/i.exec(header ?? '');
  if (!match) return null;
  if (match[1]!.toLowerCase() !== 'basic') return match[2]!;
  const [user, ...rest] = Buffer.from(match[2]!, 'base64').toString('utf8').split(':');
  const password = rest.join(':');
  return password === '' || password === 'x-oauth-basic' ? (user ?? '') : password;
}

const Claims = z.object({ iss: z.union([z.string(), z.number()]), iat: z.number(), exp: z.number() });

/** RS256 only; iat not in the future (60 s of grace), exp not past and at most ten minutes after iat. */
function authenticateJwt(store: Store, token: string): Authentication {
  const refused = (message: string): Authentication => ({ kind: 'refused', reply: problem(401, message) });
  const [header, payload, signature] = token.split('.') as [string, string, string];
  const undecodable = 'A JSON web token could not be decoded';
  const claims = Claims.safeParse(fromBase64Json(payload));
  if (!claims.success || (fromBase64Json(header) as { alg?: unknown } | null)?.alg !== 'RS256')
    return refused(undecodable);
  const { iss, iat, exp } = claims.data;
  const app = store.apps.get(Number(iss)) ?? [...store.apps.values()].find((one) => one.clientId === iss);
  if (!app) return { kind: 'refused', reply: problem(404, 'Integration not found') };
  const signed = createVerify('RSA-SHA256').update(`${header}.${payload}`);
  if (!signed.verify(app.publicKey, signature, 'base64url')) return refused(undecodable);
  const seconds = store.now() / 1000;
  if (exp <= seconds)
    return refused(
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  if (exp - seconds > 601) return refused("'Expiration time' claim ('exp') is too far in the future");
  if (iat > seconds + 60)
    return refused(
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  return principal({ kind: 'app', app });
}

function fromBase64Json(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}
