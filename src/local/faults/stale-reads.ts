import type { WireAnswer } from '../wire.ts';
import type { FaultCall } from './faults.ts';

type Seen = Extract<WireAnswer, { kind: 'answer' }>;

/**
 * Remembers what was answered, so that a read can be answered as a copy that lags behind would: with what this very
 * read was answered within the lag; failing that, without whatever was created within it.
 */
export class StaleReads {
  readonly #longestMs: number;
  readonly #history = new Map<string, { readonly at: number; readonly answer: Seen }[]>();

  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  /** Keeps an answer for as long as a stale read may want it. */
  keep(call: FaultCall, answer: WireAnswer, now: number): void {
    if (answer.kind === 'reset' || (answer.status !== 200 && answer.status !== 404)) return;
    const key = keyOf(call);
    const fresh = (this.#history.get(key) ?? []).filter((one) => one.at >= now - this.#longestMs);
    this.#history.set(key, [...fresh, { at: now, answer }]);
  }

  /** The answer as of `then`, or null where it would not differ. */
  asOf(call: FaultCall, truth: WireAnswer, then: number): Seen | null {
    if (truth.kind === 'reset') return null;
    const older = this.#history.get(keyOf(call))?.find((one) => one.at >= then);
    if (older) return older.answer.body === truth.body ? null : older.answer;
    return call.method === 'GET' && truth.status === 200 ? withoutNew(truth, then) : null;
  }
}

/** A query for data, not a change. */
export function isRead(call: FaultCall): boolean {
  if (call.method === 'GET') return true;
  return call.operation === 'graphql' && !/"query":\s*"\s*mutation\b/.test(call.body.toString('utf8'));
}

const keyOf = (call: FaultCall): string =>
  JSON.stringify([call.principal, call.method, call.path, call.search, call.body.toString('latin1')]);

function withoutNew(truth: Seen, then: number): Seen | null {
  if (typeof truth.body !== 'string') return null;
  const parsed = JSON.parse(truth.body) as unknown;
  if (isNew(parsed, then)) return notFound(truth);
  const old = Array.isArray(parsed) ? dropNew(parsed, then) : dropFromList(parsed, then);
  return old === null ? null : { ...truth, body: JSON.stringify(old), headers: withoutTag(truth) };
}

function dropNew(list: readonly unknown[], then: number): unknown[] | null {
  const old = list.filter((one) => !isNew(one, then));
  return old.length === list.length ? null : old;
}

/** `{ total_count, workflow_runs: [...] }` and its like. */
function dropFromList(value: unknown, then: number): Record<string, unknown> | null {
  if (typeof value !== 'object' || value === null || !('total_count' in value)) return null;
  const found = Object.entries(value).find(([, part]) => Array.isArray(part));
  if (!found) return null;
  const [name, list] = found as [string, unknown[]];
  const old = dropNew(list, then);
  if (old === null) return null;
  return { ...value, total_count: Number(value.total_count) - (list.length - old.length), [name]: old };
}

function isNew(value: unknown, then: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { created_at: at } = value as { created_at?: unknown };
  return typeof at === 'string' && Date.parse(at) > then;
}

function withoutTag(truth: Seen): Record<string, string> {
  const { etag: _, ...headers } = truth.headers;
  return headers;
}

function notFound(truth: Seen): Seen {
  const body = { message: 'Not Found', documentation_url: 'https://docs.github.com/rest', status: '404' };
  return { ...truth, status: 404, headers: withoutTag(truth), body: JSON.stringify(body) };
}
