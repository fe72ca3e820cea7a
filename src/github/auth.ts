import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { ApiFailure } from './api-failure.ts';
import { createAppJwt } from './app-jwt.ts';
import { classify } from './classify.ts';
import type { ApiClock, ApiLog } from './client-options.ts';
import { octokitLog } from './transport.ts';

export interface AppCredentials {
  readonly appId: number;
  /** PEM text. */
  readonly privateKey: string;
  readonly baseUrl: string;
  readonly clock: ApiClock;
  readonly log: ApiLog;
  readonly fetch?: typeof globalThis.fetch;
}

/** Where tokens come from. Each function fits `ClientOptions.token`. */
export interface AppTokens {
  /** The app's own token, for `/app` and the list of installations. */
  app(): Promise<string>;
  /** A token source for one installation. The token is renewed five minutes before its end, by one request at a time. */
  installation(installationId: number): () => Promise<string>;
}

const renewBeforeMs = 5 * 60_000;

/** Authenticates as a GitHub App through @octokit/auth-app, against `baseUrl` and by our own clock. */
export function createAppTokens(credentials: AppCredentials): AppTokens {
  const { appId, clock } = credentials;
  const newJwt = () => createAppJwt(appId, credentials.privateKey, clock.now());
  const auth = createAppAuth({
    appId,
    createJwt: async () => newJwt(),
    // Without this, tokens are asked for at api.github.com whatever server the client speaks to.
    request: requestTo(credentials),
  });
  const renew = async (installationId: number): Promise<Token> => {
    try {
      const { token, expiresAt } = await auth({ type: 'installation', installationId, refresh: true });
      return { token, endMs: Date.parse(expiresAt) };
    } catch (error) {
      throw new ApiFailure('POST access_tokens', classify(error, clock.now()), error);
    }
  };
  return {
    app: async () => newJwt().jwt,
    installation: (installationId) => renewed(clock, () => renew(installationId)),
  };
}

/** A person's own token as a source. */
export function personalToken(token: string): () => Promise<string> {
  return async () => token;
}

interface Token {
  readonly token: string;
  readonly endMs: number;
}

function requestTo(credentials: AppCredentials): Octokit['request'] {
  return new Octokit({
    baseUrl: credentials.baseUrl.replace(/\/$/, ''),
    log: octokitLog(credentials.log),
    ...(credentials.fetch === undefined ? {} : { request: { fetch: credentials.fetch } }),
  }).request;
}

function renewed(clock: ApiClock, renew: () => Promise<Token>): () => Promise<string> {
  let current: Token | null = null;
  let pending: Promise<Token> | null = null;
  return async () => {
    if (current !== null && current.endMs - renewBeforeMs > clock.now()) return current.token;
    pending ??= renew().finally(() => {
      pending = null;
    });
    current = await pending;
    return current.token;
  };
}
