import { createGitHubClient, type GitHubClient } from '../../../src/github/client.ts';
import type { ClientOptions } from '../../../src/github/client-options.ts';

/** The address that nock answers in tests that import it. */
export const host = 'http://github.test';
export const repo = { owner: 'octo', name: 'demo' };
export const noon = Date.parse('2026-11-30T12:00:00Z');

export interface TestClient {
  readonly client: GitHubClient;
  /** What the client slept, in milliseconds; the clock moves by it. */
  readonly slept: number[];
  /** The token of the next request. */
  token: string;
}

/** A client whose clock only moves when it sleeps. */
export function testClient(options: Partial<ClientOptions> = {}): TestClient {
  let now = noon;
  const slept: number[] = [];
  const test: { client: GitHubClient | null; slept: number[]; token: string } = {
    client: null,
    slept,
    token: 'token-1',
  };
  const client = createGitHubClient({
    baseUrl: host,
    token: async () => test.token,
    clock: {
      now: () => now,
      sleep: async (ms) => {
        slept.push(ms);
        now += ms;
      },
    },
    random: () => 0.5,
    log: { debug: () => undefined, warn: () => undefined },
    userAgent: 'ccd-test',
    writeGapMs: 0,
    ...options,
  });
  return Object.assign(test, { client }) as TestClient;
}
