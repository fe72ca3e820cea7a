import { afterEach, expect, it } from 'vitest';
import type { RepositoryContext } from '../../../src/app/context.ts';
import { newMemory } from '../../../src/app/context.ts';
import { pass } from '../../../src/app/pass.ts';
import { type ReconcileLoop, startLoop } from '../../../src/app/reconcile.ts';
import { ApiFailure } from '../../../src/github/api-failure.ts';
import type { Failure } from '../../../src/github/classify.ts';

interface Sleep {
  readonly ms: number;
  readonly signal: AbortSignal | undefined;
  readonly end: () => void;
}

let loop: ReconcileLoop;
afterEach(() => loop.stop());

/** A loop whose first read of each pass fails so, on a clock that stands; each of its sleeps is ended by the test. */
function start(failure: () => Failure) {
  const sleeps: Sleep[] = [];
  let arrived: () => void = () => undefined;
  const context = {
    name: { owner: 'acme', name: 'shop' },
    client: { read: () => Promise.reject(new ApiFailure('GET', failure())) },
    clone: { fetch: async () => new Map() },
    memory: newMemory(),
    log: { debug() {}, info() {}, warn() {}, error() {} },
    clock: {
      now: () => 0,
      sleep: (ms: number, signal?: AbortSignal) =>
        new Promise<void>((end) => {
          if (signal?.aborted) return end();
          signal?.addEventListener('abort', () => end());
          sleeps.push({ ms, signal, end });
          arrived();
        }),
    },
  } as unknown as RepositoryContext;
  loop = startLoop(context, { sweepMs: 300_000, pollMs: 1000, restMs: 0 });
  const sleep = async (index: number): Promise<Sleep> => {
    while (sleeps[index] === undefined)
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    return sleeps[index];
  };
  return { sleep };
}

const limited = (retryAtMs: number): Failure => ({
  kind: 'rate-limited',
  status: 403,
  message: 'secondary',
  retryAfterMs: retryAtMs,
  retryAtMs,
});

it('waits a limit out, whatever webhooks come in meanwhile', async () => {
  const { sleep } = start(() => limited(60_000));
  const first = await sleep(0);
  expect(first.ms).toBe(60_000);
  loop.hint();
  loop.hint();
  expect(first.signal?.aborted).toBe(false);
  first.end();
  expect((await sleep(1)).ms).toBe(60_000);
});

it('waits longer with each limit that follows another, also where the server names no time', async () => {
  const { sleep } = start(() => limited(0));
  const waits: number[] = [];
  for (let at = 0; at < 9; at += 1) {
    const one = await sleep(at);
    waits.push(one.ms);
    one.end();
  }
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 120_000, 120_000]);
});

it('is stopped in the middle of a limit', async () => {
  const { sleep } = start(() => limited(3_600_000));
  await sleep(0);
  await loop.stop();
  expect(loop.last()).toMatchObject({ kind: 'rate-limited' });
});

it('a hint wakes it from any other wait', async () => {
  const { sleep } = start(() => ({ kind: 'unclear', status: 502, message: 'bad gateway' }));
  const first = await sleep(0);
  loop.hint();
  expect(first.signal?.aborted).toBe(true);
});

it('works under no name that the repository has no longer: what is compared by name would be missed', async () => {
  const facts = { id: 5, owner: { login: 'Acme' }, name: 'store', default_branch: 'main' };
  const read = async (_route: string, _params: unknown, schema: { parse(value: unknown): unknown }) =>
    schema.parse(facts);
  const context = {
    name: { owner: 'acme', name: 'shop' },
    app: { id: 1, slug: 'ccd', botId: 2 },
    client: { read },
    clone: { fetch: async () => new Map() },
    memory: newMemory(),
  } as unknown as RepositoryContext;
  expect(await pass(context)).toMatchObject({ kind: 'stopped', code: 'renamed' });
  const same = { ...context, name: { owner: 'ACME', name: 'Store' } };
  expect(await pass(same)).toMatchObject({ kind: 'stopped', code: 'state-missing' });
});
