import { afterEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  closeAll,
  events,
  json,
  openGateway,
  request,
  sse,
  stream,
} from './support/gateway-world.ts';

afterEach(closeAll);

describe('turns', () => {
  it('are counted by answers; counting tokens and errors are none; then nothing is sent', async () => {
    let fail = true;
    const { post, stops, seen } = await openGateway(
      (response, { path }) => {
        if (path.includes('count')) return json(response, { input_tokens: 1 });
        if (fail) return json(response, {}, 500);
        return stream(response);
      },
      { bounds: { maxTurns: 2 } },
    );
    expect((await post()).status).toBe(500);
    fail = false;
    await (await post(request(), '/v1/messages/count_tokens')).text();
    await (await post(request({ stream: true }))).text();
    await (await post(request({ stream: true }))).text();
    expect(stops).toEqual([]);
    expect((await post()).status).toBe(400);
    expect((await post()).status).toBe(400);
    expect(stops).toEqual([{ reason: 'max-turns', resetsAt: null }]);
    expect(seen.length).toBe(4);
  });
});

describe('silence', () => {
  const silent: [string, Answer, number][] = [
    ['before the head of an answer', () => undefined, 0],
    [
      'in the middle of one',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(sse(events.slice(0, 2)));
      },
      1000,
    ],
  ];
  it.each(silent)('%s breaks it off, so that the agent asks again', async (_when, answer, inputTokens) => {
    const {
      post,
      gateway,
      events: told,
      stops,
      lines,
    } = await openGateway(answer, { bounds: { silenceMs: 150 } });
    const began = performance.now();
    await expect(post(request({ stream: true })).then((one) => one.text())).rejects.toThrow();
    expect(performance.now() - began).toBeLessThan(3000);
    await expect.poll(() => lines.map(({ end }) => end)).toEqual(['stalled']);
    expect(told).toContainEqual({ type: 'model-stalled', silentMs: 150 });
    expect(gateway.totals.estimated).toBe(true);
    expect(gateway.totals.inputTokens).toBeGreaterThanOrEqual(inputTokens);
    // The next request is served: one connection was broken off, not the run.
    expect(stops).toEqual([]);
  });

  it('of the child is none of the upstream: who reads slowly is waited for', async () => {
    const long = Array.from({ length: 4000 }, () => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'x'.repeat(2000) },
    }));
    const answer = sse([...events.slice(0, 2), ...long, ...events.slice(3)]);
    const { post, gateway } = await openGateway(
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(answer);
      },
      { bounds: { silenceMs: 500 } },
    );
    const reader = (await post(request({ stream: true }))).body?.getReader();
    await reader?.read();
    await new Promise((resolve) => setTimeout(resolve, 1300));
    let bytes = 0;
    for (let one = await reader?.read(); one?.done === false; one = await reader?.read())
      bytes += one.value.length;
    expect(bytes).toBeGreaterThan(8_000_000);
    expect(gateway.totals).toMatchObject({ answers: 1, estimated: false });
  });

  it('is longer for an answer that comes whole', async () => {
    const { post } = await openGateway(
      async (response) => {
        await new Promise((resolve) => setTimeout(resolve, 400));
        json(response);
      },
      { bounds: { silenceMs: 100, wholeSilenceMs: 5000 } },
    );
    expect((await post()).status).toBe(200);
  });
});

describe('the wall clock', () => {
  it('breaks off what is under way and lets nothing more through', async () => {
    const { post, stops, seen, gateway } = await openGateway(
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(sse(events.slice(0, 2)));
      },
      { bounds: { wallClockMs: 200 } },
    );
    await expect(post(request({ stream: true })).then((one) => one.text())).rejects.toThrow();
    expect(stops).toEqual([{ reason: 'wall-clock', resetsAt: null }]);
    expect((await post()).status).toBe(400);
    expect(seen.length).toBe(1);
    await expect.poll(() => gateway.totals.inputTokens).toBe(1000);
  });
});

describe('money', () => {
  it('is told once, after the answer that crosses the line was delivered', async () => {
    const order: string[] = [];
    const {
      post,
      stops,
      events: told,
    } = await openGateway((response) => stream(response), {
      bounds: { maxMicroUsd: 8999, onExhausted: () => order.push('exhausted') },
    });
    const text = await (await post(request({ stream: true }))).text();
    order.push('delivered');
    expect(text).toBe(sse());
    await expect.poll(() => stops).toEqual([{ reason: 'max-cost', resetsAt: null }]);
    expect((await post()).status).toBe(400);
    expect(order.sort()).toEqual(['delivered', 'exhausted']);
    expect(told.filter(({ type }) => type === 'gateway-stopped')).toEqual([
      { type: 'gateway-stopped', reason: 'max-cost' },
    ]);
  });

  it('that is used up exactly ends nothing but the next request', async () => {
    const { post, stops } = await openGateway((response) => json(response), {
      bounds: { maxMicroUsd: 9000 },
    });
    await (await post()).text();
    expect(stops).toEqual([]);
    expect((await post()).status).toBe(400);
    expect(stops).toEqual([{ reason: 'max-cost', resetsAt: null }]);
  });
});
