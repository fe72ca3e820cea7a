import { Octokit } from '@octokit/rest';
import pLimit from 'p-limit';
import { ApiFailure } from './api-failure.ts';
import { classify, type Failure } from './classify.ts';
import type { ApiBudget, ApiLog, CallCounts, ClientOptions } from './client-options.ts';

/** Pinned: answers change with the version, and Octokit sends none by itself. */
const apiVersion = '2022-11-28';

/** What a call costs: GraphQL queries are reads although they are sent by POST. */
export type CallKind = 'read' | 'write' | 'content';

export interface Call {
  readonly kind: CallKind;
  /** Method and path template, such as `GET /repos/{owner}/{repo}`; the path may be an absolute address. */
  readonly route: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly redirect?: 'manual';
}

export interface Answer {
  readonly status: number;
  readonly data: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Sends one request, once. */
export interface Transport {
  /** Throws ApiFailure for whatever is not a success; status 304 comes back as an answer. */
  send(call: Call, token: string): Promise<Answer>;
  /** The full address of a read. */
  address(call: Call): string;
  counts(): CallCounts;
  budget(): ApiBudget | null;
}

/** Octokit without plugins that repeat or pace: repeating a write is a decision, and never made here. */
export function createTransport(options: ClientOptions): Transport {
  const octokit = createOctokit(options);
  const limit = pLimit(options.concurrency ?? 10);
  const counts = { read: 0, write: 0, content: 0 };
  let budget: ApiBudget | null = null;
  const sendOnce = async (call: Call, token: string): Promise<Answer> => {
    count(counts, call.kind);
    try {
      const answer = await octokit.request(
        call.route,
        requestParams(call, token, options.timeoutMs ?? 30_000),
      );
      budget = readBudget(answer.headers) ?? budget;
      if (isCutOff(answer)) throw new ApiFailure(call.route, cutOff(answer.status));
      return { status: answer.status, data: answer.data, headers: answer.headers };
    } catch (error) {
      if (error instanceof ApiFailure) throw error;
      const unchanged = notModified(error);
      if (unchanged !== null) return unchanged;
      throw new ApiFailure(call.route, classify(error, options.clock.now()), error);
    }
  };
  return {
    send: (call, token) => limit(() => sendOnce(call, token)),
    address: (call) => octokit.request.endpoint(call.route, { ...call.params }).url,
    counts: () => ({ ...counts }),
    budget: () => budget,
  };
}

/** Octokit's four levels on our two: it reports each request as `info`. */
export function octokitLog(log: ApiLog) {
  const debug = (message: string) => log.debug(message);
  const warn = (message: string) => log.warn(message);
  // A 304 is how a cached read is confirmed; Octokit reports it as an error.
  const unlessCached = (message: string) =>
    / - 304 with id /.test(message) ? debug(message) : warn(message);
  return { debug, info: debug, warn: unlessCached, error: unlessCached };
}

function createOctokit(options: ClientOptions): Octokit {
  return new Octokit({
    baseUrl: options.baseUrl.replace(/\/$/, ''),
    userAgent: options.userAgent,
    log: octokitLog(options.log),
    ...(options.fetch === undefined ? {} : { request: { fetch: options.fetch } }),
  });
}

function requestParams(call: Call, token: string, timeoutMs: number) {
  return {
    ...call.params,
    headers: { 'x-github-api-version': apiVersion, ...call.headers, authorization: `Bearer ${token}` },
    request: {
      signal: AbortSignal.timeout(timeoutMs),
      ...(call.redirect === undefined ? {} : { redirect: call.redirect }),
    },
  };
}

function count(counts: { read: number; write: number; content: number }, kind: CallKind): void {
  if (kind === 'read') counts.read += 1;
  else counts.write += 1;
  if (kind === 'content') counts.content += 1;
}

function notModified(error: unknown): Answer | null {
  if (typeof error !== 'object' || error === null || !('status' in error) || error.status !== 304)
    return null;
  return { status: 304, data: null, headers: {} };
}

/** Octokit hands over what it got of a body that broke off: as text, where JSON was announced. */
function isCutOff(answer: Answer): boolean {
  const isJson = String(answer.headers['content-type'] ?? '').includes('json');
  const isWhole = answer.status === 202 || String(answer.headers['content-length']) === '0';
  return isJson && !isWhole && typeof answer.data === 'string';
}

function cutOff(status: number): Failure {
  return { kind: 'unclear', status, message: 'the answer broke off' };
}

function readBudget(headers: Readonly<Record<string, unknown>>): ApiBudget | null {
  const numbers = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) =>
    headers[name] === undefined ? Number.NaN : Number(headers[name]),
  );
  const [limit = Number.NaN, remaining = Number.NaN, reset = Number.NaN] = numbers;
  return numbers.every(Number.isFinite) ? { limit, remaining, resetAtMs: reset * 1000 } : null;
}
