import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BatchWorld, items, onePhase, openBatchWorld } from './support/batch-world.ts';

let world: BatchWorld;
beforeEach(async () => {
  world = await openBatchWorld();
});
afterEach(() => world.close());

const types = () => world.events.map(({ type }) => type);
const warnings = () =>
  world.events.flatMap((event) =>
    event.type === 'warning' && !event.message.startsWith('isolation:') ? [event.message] : [],
  );

/** Processes that were started for this world's output folder. */
function leftovers(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(join(world.dir, 'temp'))
      );
    } catch {
      return false;
    }
  });
}

describe('a run', () => {
  it('works off all items, hands on what fits, and a second one asks nobody anything', async () => {
    await world.write('items.ndjson', items(3));
    await world.write('schema.json', { type: 'object', required: ['finding'] });
    world.say((id) => ({ order: id === 'i1' ? { do: 'invalid' } : {} }));
    const pipeline = {
      ...onePhase({ schema: 'schema.json' }),
      phases: [
        ...onePhase({ schema: 'schema.json' }).phases,
        { name: 'two', prompt: 'Check it.', input: { phase: 'one' }, item_id: 'finding' },
      ],
    };
    const end = await world.run(pipeline);
    expect(end).toMatchObject({ state: 'completed', exitCode: 0, pending: [] });
    expect(end.phases[0]?.results.map((one) => (one as { id: string }).id)).toEqual(['i0', 'i2']);
    expect(end.phases[0]?.refused).toMatchObject([{ index: 0, reason: expect.stringContaining('finding') }]);
    expect(end.phases[1]?.items).toMatchObject({ total: 2, done: 2 });
    // Kept although it goes nowhere, and finished: a resumed run must not pay for it again.
    const kept = (await world.partials('one')).find(({ value }) =>
      value.results.some((one) => 'wrong' in one),
    );
    expect(kept?.value.metadata).toMatchObject({ processed_ids: ['i1'], invalid: [{ index: 0 }] });
    expect(warnings().some((text) => text.includes('do not fit the schema'))).toBe(true);
    const before = world.asked.length;
    const again = await world.run(pipeline);
    expect([again.state, world.asked.length]).toEqual(['completed', before]);
    expect(again.phases[0]?.results).toEqual(end.phases[0]?.results);
    expect(types().filter((type) => type === 'batch-started')).toEqual([]);
    // Its own cap is fresh; what all runs have spent is told apart. 100 tokens at 15 dollars a million, five times.
    expect(again.phases.map(({ cost }) => cost.total_cost_usd)).toEqual([0, 0]);
    expect(again.phases.map(({ lifetimeMicroUsd }) => lifetimeMicroUsd)).toEqual([4500, 3000]);
  });

  it('repeats passing failures after 1, 2 and 4 seconds, never others, and reads no prose for errors', async () => {
    await world.write('items.ndjson', items(3));
    world.say((id, nth) => {
      if (id === 'i0') return nth < 3 ? { status: 529 } : { order: {} };
      if (id === 'i1') return { status: 400, message: 'no' };
      return { order: { do: 'prose' } };
    });
    const end = await world.run(onePhase());
    expect(end).toMatchObject({ state: 'failed', exitCode: 1 });
    const waits = world.events.flatMap((event) => (event.type === 'retry-scheduled' ? [event.delay_ms] : []));
    expect(waits).toEqual([1000, 2000, 4000]);
    expect(world.asked).toEqual(['i0', 'i0', 'i0', 'i0', 'i1', 'i2']);
    expect(end.phases[0]).toMatchObject({
      reason: 'unfinished-items',
      items: { done: 2, failed: 1 },
      unfinished: [{ batch: 1, reason: 'invalid-request', ids: ['i1'] }],
      breaker: { total_retries: 3, consecutive_failures: 0, total_successes: 2, total_failures: 1 },
    });
    // The next run does what is missing, and only that.
    world.say(() => ({ order: {} }));
    const next = await world.run(onePhase());
    expect([next.state, world.asked.slice(6)]).toEqual(['completed', ['i1']]);
  });

  it('trips once when too many batches in a row fail, whoever had them, and starts no other', async () => {
    await world.write('items.ndjson', items(5));
    world.say((id) => (id === 'i0' ? { order: {} } : { status: 400 }));
    const end = await world.run(onePhase({ breaker: { failures: 3 } }, { workers: 2 }));
    expect(end).toMatchObject({ state: 'circuit-broken', exitCode: 65 });
    expect(types().filter((type) => type === 'circuit-breaker-tripped').length).toBe(1);
    expect(types().indexOf('circuit-breaker-tripped')).toBeLessThan(types().indexOf('phase-failed'));
    expect(end.phases[0]?.reason).toBe('breaker-failures');
    expect(end.phases[0]?.items.done).toBe(1);
    expect(leftovers()).toEqual([]);
  });

  it('counts empty answers in a row: markers are left, nothing counts as processed', async () => {
    await world.write('items.ndjson', items(4));
    const empty = { order: { do: 'empty' } };
    world.say((id) => (id === 'i1' ? { order: {} } : empty));
    const end = await world.run(onePhase({ breaker: { empty: 2 } }));
    expect(end).toMatchObject({ state: 'circuit-broken', exitCode: 65 });
    expect(end.phases[0]).toMatchObject({ reason: 'breaker-empty', items: { done: 1, empty: 3 } });
    const markers = (await world.partials()).filter(({ value }) => value.results.length === 0);
    expect(markers.length).toBe(3);
    expect(markers[0]?.value.metadata).toMatchObject({
      processed_ids: [],
      items: [{ id: 'i0', status: 'empty' }],
    });
  });

  it('saves the batch that crosses the budget and those on their way, then stops with 64', async () => {
    await world.write('items.ndjson', items(5));
    // 0.015 dollars each: the first two make exactly the cap, which is allowed.
    world.say(() => ({ order: {}, outputTokens: 1000 }));
    const end = await world.run(onePhase({ budget: 0.03 }));
    expect(end).toMatchObject({ state: 'budget-exceeded', exitCode: 64, costUsd: 0.045 });
    expect(end.phases[0]).toMatchObject({
      reason: 'budget-exceeded',
      items: { done: 3, notStarted: 2 },
      cost: { total_cost_usd: 0.045, max_budget_usd: 0.03, remaining_usd: 0, utilization_percent: 150 },
    });
    expect(types().filter((type) => type === 'budget-exceeded').length).toBe(1);
    const resumed = await world.run(onePhase({ budget: 0.03 }));
    expect(resumed.phases[0]?.items).toMatchObject({ done: 5, doneNow: 2 });
    expect(world.asked.length).toBe(5);
  });

  it('lets no run ask on once the money is used up, whoever used it', async () => {
    await world.write('items.ndjson', items(2));
    // i0 never ends by itself; i1 crosses the cap with a last answer that is saved.
    world.say((id) =>
      id === 'i0'
        ? { order: { do: 'ask-again' }, outputTokens: 0, delayMs: 50 }
        : { order: {}, outputTokens: 10_000, delayMs: 400 },
    );
    const end = await world.run(onePhase({ budget: 0.1 }, { workers: 2 }));
    expect(end).toMatchObject({ state: 'budget-exceeded', exitCode: 64 });
    expect(end.phases[0]?.items).toMatchObject({ done: 1, interrupted: 1, failed: 0 });
    expect(leftovers()).toEqual([]);
  });

  it('has a cap for the run besides that of each phase', async () => {
    await world.write('items.ndjson', items(2));
    world.say(() => ({ order: {}, outputTokens: 1000 }));
    const two = { name: 'two', prompt: 'p', input: { phase: 'one' }, item_id: 'finding' };
    const pipeline = { ...onePhase(), budget: 0.04, run_budget: 0.05, phases: [...onePhase().phases, two] };
    const end = await world.run(pipeline);
    expect(end.phases.map(({ state, reason }) => [state, reason])).toEqual([
      ['done', null],
      ['failed', 'run-budget-exceeded'],
    ]);
    expect(world.events).toContainEqual(
      expect.objectContaining({ type: 'budget-exceeded', scope: 'run', max_budget_usd: 0.05 }),
    );
  });

  it('stops at once when the account is refused, and trips when a usage limit is reached', async () => {
    await world.write('items.ndjson', items(4));
    world.say(() => ({ status: 401 }));
    const refused = await world.run(onePhase());
    expect([refused.state, refused.exitCode, refused.phases[0]?.reason]).toEqual([
      'failed',
      1,
      'invalid-api-key',
    ]);
    expect(world.asked.length).toBe(1);
    const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    const text = `You have reached your specified API usage limits. You will regain access on ${day} at 00:00 UTC.`;
    world.say(() => ({ status: 400, message: text }));
    const limited = await world.run(onePhase());
    expect([limited.exitCode, limited.phases[0]?.reason]).toEqual([
      65,
      `usage-limit until ${day}T00:00:00.000Z`,
    ]);
    expect(world.asked.length).toBe(2);
  });

  it('waits as long as the server asks for', async () => {
    await world.write('items.ndjson', items(1));
    world.say((_id, nth) => (nth === 0 ? { status: 429, retryAfter: 4 } : { order: {} }));
    const end = await world.run(onePhase());
    const waits = world.events.flatMap((event) => (event.type === 'retry-scheduled' ? [event.delay_ms] : []));
    expect([end.state, waits.length]).toEqual(['completed', 1]);
    expect(waits[0]).toBeGreaterThan(1000);
    expect(waits[0]).toBeLessThanOrEqual(4000);
  });

  it('trips on more tokens read from the cache than the guard allows, after saving', async () => {
    await world.write('items.ndjson', items(4));
    world.say(() => ({ order: {}, cacheReadTokens: 600 }));
    const end = await world.run(onePhase({ cache_read_guard: 1000 }));
    expect([end.exitCode, end.phases[0]?.reason, end.phases[0]?.items.done]).toEqual([
      65,
      'cache-read-guard',
      2,
    ]);
  });

  it('keeps what was written down before the turns ran out, and marks what was not', async () => {
    await world.write('items.ndjson', [
      { id: 'saved', do: 'saved-max-turns' },
      { id: 'lost', do: 'max-turns' },
      { id: 'fine' },
    ]);
    const tools = { tools: ['Write'], max_turns: 5 };
    const first = await world.run(onePhase(tools));
    expect(first.phases[0]).toMatchObject({ reason: 'unfinished-items', items: { done: 2, maxTurns: 1 } });
    const batches = () => types().filter((type) => type === 'batch-started').length;
    const again = await world.run(onePhase(tools));
    expect([batches(), again.exitCode, again.phases[0]?.items.maxTurns]).toEqual([0, 1, 1]);
    expect(warnings().join()).toContain('ran out of 5 turns before (lost');
    await world.run(onePhase({ ...tools, max_turns: 6 }));
    expect(batches()).toBe(1);
    await world.run(onePhase({ ...tools, max_turns: 6 }), { force: ['one'] });
    expect(batches()).toBe(3);
  });

  it('never takes over what a killed run wrote down', async () => {
    await world.write('items.ndjson', [{ id: 'a', do: 'saved-crash' }]);
    const end = await world.run(onePhase({ tools: ['Write'] }));
    // It ended by itself without a result, four times: nothing says that it succeeded.
    expect(end.phases[0]).toMatchObject({
      items: { done: 0, failed: 1 },
      unfinished: [{ reason: 'no-result' }],
    });
  });

  it('does again, with a warning, what changed; leaves out damaged files; the newest of two wins', async () => {
    await world.write('items.ndjson', items(3));
    await world.run(onePhase({ result_id: 'finding' }));
    const [first, second] = await world.partials();
    await writeFile(join(world.out, second!.file), '{"results": [');
    await world.write('items.ndjson', [{ id: 'i0', ask: true, more: 1 }, ...items(3).slice(1)]);
    const end = await world.run(onePhase({ result_id: 'finding' }));
    expect(world.asked.slice(3).sort()).toEqual(['i0', 'i1']);
    expect(warnings()).toEqual([
      expect.stringContaining(`${second!.file} is left out`),
      expect.stringContaining('1 items that were finished are done again (i0'),
      'the stream of an agent: untested-version',
    ]);
    expect(end.phases[0]?.results).toMatchObject([{ id: 'i0', more: 1 }, { id: 'i1' }, { id: 'i2' }]);
    expect(existsSync(join(world.out, first!.file))).toBe(true);
    // Another prompt: everything again.
    await world.run(onePhase({ prompt: 'Look again.' }));
    expect(world.asked.length).toBe(8);
  });

  it('tells the results of one batch apart by their item, and keeps those that name none', async () => {
    await world.write('items.ndjson', items(3, {}));
    await world.write('twice.ndjson', [{ id: 'a', do: 'answer', ask: true }, { id: 'b' }, { id: 'c' }]);
    world.say(() => ({
      order: { results: [{ item: 'b', n: 1 }, { item: 'b', n: 2 }, { item: 'zz' }, { item: 'a' }] },
    }));
    const phase = { batch: { size: 3 }, result_item: 'item', input: { files: 'twice.ndjson' } };
    const end = await world.run(onePhase(phase));
    expect(end.phases[0]?.results).toEqual([{ item: 'a' }, { item: 'b', n: 1 }, { item: 'b', n: 2 }]);
    expect(end.phases[0]?.items).toMatchObject({ done: 2, empty: 1 });
    expect(warnings()).toContainEqual(expect.stringContaining('1 results name no item'));
  });

  it('ends agents that work on when it is stopped, leaves no process, and goes on later', async () => {
    await world.write('items.ndjson', [{ id: 'a' }, { id: 'b', do: 'stubborn' }, { id: 'c' }]);
    const stop = new AbortController();
    const end = await world.run(onePhase(), {
      stop: stop.signal,
      onEvent: (event) => {
        if (event.type === 'batch-started' && event.batch === 1) setTimeout(() => stop.abort(), 400);
      },
    });
    expect(end).toMatchObject({ state: 'interrupted', pending: [] });
    expect(end.phases[0]).toMatchObject({
      reason: 'interrupted',
      items: { done: 1, notStarted: 1, interrupted: 1 },
    });
    expect(leftovers()).toEqual([]);
    expect(readdirSync(join(world.dir, 'temp'))).toEqual([]);
    await world.write('items.ndjson', [{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
    const next = await world.run(onePhase());
    expect([next.state, next.phases[0]?.items.doneNow]).toEqual(['completed', 2]);
  });

  it('starts a run that hangs again, and gives it up in the end', async () => {
    await world.write('items.ndjson', [{ id: 'a', do: 'hang' }]);
    // The clock of these tests makes 50 seconds one.
    const end = await world.run(onePhase({ timeout_seconds: 40 }));
    expect(end.phases[0]).toMatchObject({
      breaker: { total_retries: 3 },
      unfinished: [{ reason: 'wall-clock' }],
    });
  });
});

describe('before anything is spent', () => {
  it('refuses a folder of another pipeline, of a later version, and of another run', async () => {
    await world.write('items.ndjson', items(1, { do: 'slow' }));
    await world.run(onePhase());
    await expect(world.run(onePhase({}, { name: 'other' }))).rejects.toMatchObject({ code: 'batch.stale' });
    await writeFile(join(world.out, 'one_PARTIAL_W0B0_9.json'), '{"version":2}');
    await expect(world.run(onePhase())).rejects.toMatchObject({ code: 'batch.stale' });
    let first: Promise<unknown> = Promise.resolve();
    await new Promise<void>((resolve) => {
      first = world.run(onePhase(), {
        force: ['one'],
        onEvent: ({ type }) => type === 'batch-started' && resolve(),
      });
    });
    await expect(world.run(onePhase())).rejects.toMatchObject({ code: 'batch.in-use' });
    expect(await first).toMatchObject({ state: 'completed' });
    expect((await world.partials()).length).toBe(1);
  });

  it('refuses missing keys, missing input and ids that stand for two items', async () => {
    const noKey = { modelKeys: '', modelUrl: new URL('https://api.anthropic.com') };
    await world.write('items.ndjson', items(1));
    await expect(world.run(onePhase(), noKey)).rejects.toMatchObject({ code: 'batch.no-key' });
    await world.write('items.ndjson', [
      { id: 1, a: 1 },
      { id: '1', a: 2 },
    ]);
    await expect(world.run(onePhase())).rejects.toMatchObject({ code: 'batch.input' });
    await rm(join(world.dir, 'items.ndjson'));
    await expect(world.run(onePhase())).rejects.toMatchObject({ code: 'batch.unreadable' });
    expect(world.asked).toEqual([]);
  });
});

it('gives the agent no key and nothing of other runs, and says what it was given', async () => {
  await world.write('items.ndjson', items(1));
  await world.run(onePhase());
  const debug = join(world.out, 'debug', 'one', 'W0B0-0');
  expect(await readFile(join(debug, 'prompt.txt'), 'utf8')).toContain('{"id":"i0","ask":true}');
  const everything = readdirSync(world.out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  expect(everything.join()).not.toContain('canary');
});
