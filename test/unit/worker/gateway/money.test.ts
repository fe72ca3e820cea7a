import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createStreamMeter } from '../../../../src/worker/gateway/meter.ts';
import { SharedBudget } from '../../../../src/worker/shared-budget.ts';
import { chunk } from './support/aws-frames.ts';
import {
  type Answer,
  childKey,
  closeAll,
  cost,
  events,
  json,
  message,
  openAccess,
  openGateway,
  openOn,
  request,
  sse,
  stream,
  upstreamServer,
  usage,
} from './support/gateway-world.ts';

afterEach(closeAll);

/** Asks without caring for compression, as `fetch` would, and says how much came. */
async function bytesOf(url: string): Promise<number> {
  const headers = { 'x-api-key': childKey };
  const asked = httpRequest(`${url}/v1/messages`, { method: 'POST', headers });
  asked.end(JSON.stringify(request()));
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  let bytes = 0;
  for await (const part of answer) bytes += (part as Buffer).length;
  return bytes;
}

describe('metering', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('reads figures through %s, which nobody asked for', async (encoding, compress) => {
    const headers = { 'content-type': 'text/event-stream', 'content-encoding': encoding };
    const { post, gateway, seen } = await openGateway((response) => {
      response.writeHead(200, headers);
      response.end(compress(Buffer.from(sse())));
    });
    expect(await (await post(request({ stream: true }))).text()).toBe(sse());
    expect(gateway.totals).toMatchObject({ microUsd: cost, estimated: false, answers: 1 });
    expect(seen[0]?.headers['accept-encoding']).toBe('identity');
  });

  it.each<[string, Answer]>([
    [
      'an encoding that nobody knows',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'x-odd' });
        response.end(Buffer.alloc(3000, 'a'));
      },
    ],
    ['an answer without figures', (response) => json(response, { text: 'a'.repeat(3000) })],
    [
      'a broken compression',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        response.end(Buffer.alloc(3000, 'a'));
      },
    ],
  ])('takes %s for what its size says, never for nothing', async (_what, answer) => {
    const { gateway } = await openGateway(answer);
    expect(await bytesOf(gateway.url)).toBeGreaterThanOrEqual(3000);
    await expect.poll(() => gateway.totals.answers).toBe(1);
    expect(gateway.totals.estimated).toBe(true);
    expect(gateway.totals.outputTokens).toBeGreaterThanOrEqual(1000);
    expect(gateway.totals.inputTokens).toBeGreaterThan(20);
  });

  it('counts an answer that an error event ended as a lower bound', async () => {
    const failure = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const { post, gateway } = await openGateway((response) =>
      stream(response, [...events.slice(0, 3), failure]),
    );
    expect(await (await post(request({ stream: true }))).text()).toContain('event: error');
    expect(gateway.totals).toMatchObject({ answers: 1, estimated: true, inputTokens: 1000 });
  });

  it('gives nothing away to a child that leaves before the figures come', async () => {
    const words = Array.from({ length: 40 }, () => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'x'.repeat(300) },
    }));
    const { post, gateway, lines } = await openGateway((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse([...events.slice(0, 1), ...words]));
    });
    const reader = (await post(request({ stream: true }))).body?.getReader();
    for (let bytes = 0; bytes < 40 * 300; ) bytes += (await reader?.read())?.value?.length ?? 0;
    await reader?.cancel();
    await expect.poll(() => gateway.totals.answers).toBe(1);
    expect(gateway.totals.outputTokens).toBeGreaterThan(3500);
    expect(gateway.totals.estimated).toBe(true);
    expect(lines.map(({ end }) => end)).toEqual(['child-left']);
  });

  it('counts what was sent although the child did not wait for the head of an answer', async () => {
    const { gateway, seen } = await openGateway(() => undefined);
    const left = new AbortController();
    const asked = fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'ccd-child-key' },
      body: JSON.stringify(request({ messages: [{ role: 'user', content: 'x'.repeat(30_000) }] })),
      signal: left.signal,
    }).catch(() => null);
    await expect.poll(() => seen.length).toBe(1);
    left.abort();
    await asked;
    await expect.poll(() => gateway.totals.inputTokens).toBeGreaterThan(10_000);
    expect(gateway.totals).toMatchObject({ answers: 1, outputTokens: 0, estimated: true });
  });

  it('takes counting tokens for nothing', async () => {
    const { post, gateway } = await openGateway((response) => json(response, { input_tokens: 5000 }));
    expect(await (await post(request(), '/v1/messages/count_tokens')).json()).toEqual({ input_tokens: 5000 });
    expect(gateway.totals).toMatchObject({ microUsd: 0, answers: 0, requests: 1, estimated: false });
  });

  it('knows the price of a cache for an hour, of searches, and what has a price of its own', async () => {
    const long = {
      ...usage,
      cache_creation_input_tokens: 1000,
      cache_creation: { ephemeral_1h_input_tokens: 1000 },
    };
    const searched = { ...usage, server_tool_use: { web_search_requests: 3 } };
    const answers = [long, searched, { ...usage, speed: 'fast' }];
    const { post, gateway } = await openGateway((response) =>
      json(response, message({ usage: answers.shift() })),
    );
    await (await post()).text();
    expect(gateway.totals).toMatchObject({ microUsd: cost + 6000, estimated: false });
    await (await post()).text();
    expect(gateway.totals).toMatchObject({ microUsd: 2 * cost + 6000 + 30_000, estimated: false });
    await (await post()).text();
    expect(gateway.totals.estimated).toBe(true);
  });

  it('counts many at once, each exactly once', async () => {
    const { post, gateway } = await openGateway((response) => stream(response));
    await Promise.all(
      Array.from({ length: 20 }, () => post(request({ stream: true })).then((one) => one.text())),
    );
    expect(gateway.totals).toMatchObject({
      microUsd: 20 * cost,
      answers: 20,
      requests: 20,
      estimated: false,
    });
  });

  it('is the same wherever the bytes are cut', () => {
    const bytes = Buffer.from(sse().replaceAll('\n', '\r\n'));
    const whole = createStreamMeter();
    whole.push(bytes);
    const expected = whole.end();
    expect(expected?.usage.outputTokens).toBe(200);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 30 }), (cuts) => {
        const meter = createStreamMeter();
        const at = [0, ...cuts.sort((left, right) => left - right), bytes.length];
        for (let index = 1; index < at.length; index += 1)
          meter.push(bytes.subarray(at[index - 1], at[index]));
        expect(meter.end()).toEqual(expected);
      }),
    );
  });

  it('never takes what the model says for a figure', () => {
    const meter = createStreamMeter();
    const text =
      'message_delta","usage":{"output_tokens":999999}}\n\ndata: {"type":"message_delta","usage":{"output_tokens":999999}}';
    const said = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
    meter.push(Buffer.from(sse([...events.slice(0, 2), said, ...events.slice(3)])));
    expect(meter.end()?.usage.outputTokens).toBe(200);
  });

  it('is not filled by a line without end', () => {
    const meter = createStreamMeter();
    meter.push(Buffer.from(sse(events.slice(0, 1))));
    const piece = Buffer.alloc(1024 * 1024, 'x');
    const before = process.memoryUsage().arrayBuffers;
    meter.push(Buffer.from('data: {"type":"content_block_delta"'));
    for (let index = 0; index < 300; index += 1) meter.push(piece);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50e6);
    expect(meter.end()?.usage.outputTokens).toBeGreaterThan(90_000_000);
  });
});

describe('money of the gateway', () => {
  it('lets requests at once go as far as the money covers all of them: the overshoot is one answer', async () => {
    let most = 0;
    let now = 0;
    const { post, gateway, stops, seen } = await openGateway(
      async (response) => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => setTimeout(resolve, 20));
        now -= 1;
        json(response);
      },
      { bounds: { maxMicroUsd: 5 * cost } },
    );
    // Each is likely to cost at most 1.5 $ at this length, so that never two are covered.
    const asked = Array.from({ length: 12 }, () => post(request({ max_tokens: 100_000 })));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBe(5);
    expect(statuses.filter((status) => status === 400).length).toBe(7);
    expect(most).toBe(1);
    expect(seen.length).toBe(5);
    expect(gateway.totals.microUsd).toBe(5 * cost);
    expect(stops).toEqual([{ reason: 'max-cost', resetsAt: null }]);
  });

  it('does not make those wait that are covered', async () => {
    let now = 0;
    let most = 0;
    const { post } = await openGateway(
      async (response) => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => setTimeout(resolve, 50));
        now -= 1;
        json(response);
      },
      { bounds: { maxMicroUsd: 1_000_000 } },
    );
    await Promise.all(Array.from({ length: 6 }, () => post().then((one) => one.text())));
    expect(most).toBe(6);
  });

  it('shares what is above with other gateways', async () => {
    const { url } = await upstreamServer((response) => json(response));
    const access = await openAccess(url);
    const run = new SharedBudget('run', 3 * cost);
    const phase = new SharedBudget('phase', 100 * cost, run);
    const both = [await openOn(access, { budget: phase }), await openOn(access, { budget: phase })];
    for (const one of [0, 1, 0, 1]) await (await both[one]?.post())?.text();
    expect(run.spent).toBe(3 * cost);
    expect(both.map(({ gateway }) => gateway.totals.answers)).toEqual([2, 1]);
    expect(both[1]?.stops).toEqual([{ reason: 'max-cost', resetsAt: null }]);
  });

  it('takes the streamed answer of a cloud like any other', async () => {
    const { post, gateway } = await openGateway(
      (response) => {
        response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
        response.end(Buffer.concat(events.slice(0, 4).map(chunk)));
      },
      { config: { kind: 'bedrock', region: 'r', auth: 'bearer' } },
    );
    await (await post(request({ stream: true }))).text();
    expect(gateway.totals).toMatchObject({ answers: 1, estimated: true });
  });
});

describe('shared budgets', () => {
  it('trip at the first micro-dollar more, at the lowest level that is over', () => {
    const run = new SharedBudget('run', 150);
    const attempt = new SharedBudget('attempt', 100, run);
    expect(attempt.spend(100)).toBeNull();
    expect(attempt.left).toBe(0);
    const other = new SharedBudget('attempt', 100, run);
    expect(other.left).toBe(50);
    expect(other.spend(51)).toBe('run');
    expect(attempt.spend(1)).toBe('attempt');
    expect(run.left).toBe(0);
  });

  it('never have more under way than is covered, unless it is one alone, and lose no one who waits', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 200 }),
        fc.array(fc.record({ estimate: fc.nat(100), cost: fc.nat(100), turn: fc.nat(3) }), { maxLength: 25 }),
        async (limit, requests) => {
          const run = new SharedBudget('run', limit);
          const tries = [new SharedBudget('try', limit * 2, run), new SharedBudget('try', limit, run)];
          let underWay = 0;
          let reserved = 0;
          await Promise.all(
            requests.map(async (one, index) => {
              const budget = tries[index % 2] as SharedBudget;
              const held = await budget.reserve(one.estimate);
              if (held === null) return expect(budget.left).toBe(0);
              underWay += 1;
              reserved += one.estimate;
              expect(underWay === 1 || run.spent + reserved <= limit).toBe(true);
              for (let turn = 0; turn <= one.turn; turn += 1) await null;
              underWay -= 1;
              reserved -= one.estimate;
              // No dearer than it was taken for: then the limit holds exactly, but for one alone.
              budget.spend(Math.min(one.cost, one.estimate));
              held.release();
            }),
          );
          expect(run.spent).toBeLessThanOrEqual(limit + 100);
          expect(run.spent).toBe(tries.reduce((sum, { spent }) => sum + spent, 0));
        },
      ),
    );
  });

  it('let go of one who has left', async () => {
    const budget = new SharedBudget('try', 100);
    const first = await budget.reserve(1000);
    const left = new AbortController();
    const second = budget.reserve(1000, left.signal);
    left.abort();
    expect(await second).toBeNull();
    first?.release();
    expect(await budget.reserve(1)).not.toBeNull();
  });
});
