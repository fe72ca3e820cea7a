import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../../../src/worker/gateway/gateway.ts';

interface Seen {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let upstream: Server | null = null;
let gateway: Gateway | null = null;
afterEach(async () => {
  await gateway?.close();
  upstream?.closeAllConnections();
  upstream?.close();
  upstream = null;
  gateway = null;
});

const childKey = 'ccd-child-key';
const realKey = 'sk-real-key-canary';

async function open(
  answer: (response: ServerResponse, seen: Seen) => void | Promise<void>,
  options: { maxMicroUsd?: number; prefix?: string; onExhausted?: () => void } = {},
): Promise<{
  gateway: Gateway;
  seen: Seen[];
  post: (path?: string, headers?: Record<string, string>) => Promise<Response>;
}> {
  const seen: Seen[] = [];
  upstream = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    const one = { path: request.url ?? '', headers: request.headers, body };
    seen.push(one);
    await answer(response, one);
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const { port } = upstream.address() as AddressInfo;
  gateway = await startGateway({
    modelUrl: new URL(`http://127.0.0.1:${port}${options.prefix ?? ''}`),
    modelKey: realKey,
    childKey,
    maxMicroUsd: options.maxMicroUsd ?? 1_000_000,
    onExhausted: options.onExhausted ?? (() => undefined),
  });
  const { url } = gateway;
  const post = (path = '/v1/messages?beta=true', headers = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': childKey, ...headers },
      body: '{"model":"m"}',
    });
  return { gateway, seen, post };
}

const usage = {
  input_tokens: 1000,
  output_tokens: 200,
  cache_read_input_tokens: 10_000,
  cache_creation_input_tokens: 0,
};
/** 1000 at 3 $, 10 000 at 0.3 $, 200 at 15 $ a million. */
const cost = 3000 + 3000 + 3000;

const json = (response: ServerResponse, extra = {}) => {
  response.writeHead(200, { 'content-type': 'application/json', 'request-id': 'r1' });
  response.end(JSON.stringify({ model: 'claude-sonnet-4-5', usage, ...extra }));
};

const events = (model = 'claude-sonnet-4-5') => [
  { type: 'message_start', message: { model, usage: { ...usage, output_tokens: 1 } } },
  {
    type: 'content_block_delta',
    delta: { type: 'text_delta', text: '"usage":{"output_tokens":999999} \u00e9' },
  },
  { type: 'message_delta', delta: {}, usage: { output_tokens: 200 } },
  { type: 'message_stop' },
];
const sse = (list: readonly { type: string }[]) =>
  list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

describe('the model gateway', () => {
  it('gives the real key in place of the child one, and passes answers unchanged', async () => {
    const { post, seen } = await open((response) => json(response), { prefix: '/base' });
    const answer = await post('/v1/messages?beta=true', {
      authorization: 'Bearer other',
      'anthropic-version': '2023-06-01',
    });
    expect(await answer.json()).toMatchObject({ usage });
    expect(answer.headers.get('request-id')).toBe('r1');
    expect(seen[0]).toMatchObject({ path: '/base/v1/messages?beta=true', body: '{"model":"m"}' });
    expect(seen[0]?.headers).toMatchObject({ 'x-api-key': realKey, 'anthropic-version': '2023-06-01' });
    expect(seen[0]?.headers.authorization).toBeUndefined();
  });

  it('meters JSON answers exactly', async () => {
    const { post, gateway: it } = await open((response) => json(response));
    await (await post()).text();
    await (await post()).text();
    expect(it.totals).toMatchObject({ microUsd: 2 * cost, answers: 2, estimated: false, outputTokens: 400 });
  });

  it('meters streams from their events, cut anywhere, never from what the model says', async () => {
    const text = Buffer.from(sse(events()));
    const { post, gateway: it } = await open(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let at = 0; at < text.length; at += 7) {
        if (!response.write(text.subarray(at, at + 7))) await once(response, 'drain');
      }
      response.end();
    });
    expect(await (await post()).text()).toBe(text.toString());
    expect(it.totals).toMatchObject({
      microUsd: cost,
      estimated: false,
      inputTokens: 1000,
      outputTokens: 200,
    });
  });

  it('lets the first bytes of a stream through while the rest is still to come', async () => {
    let finish = () => undefined as unknown;
    const { post } = await open((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse(events().slice(0, 1)));
      finish = () => response.end();
    });
    const reader = (await post()).body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toContain('message_start');
    finish();
  });

  it('counts a stream that broke off as a lower bound, and breaks it off for the child too', async () => {
    const { post, gateway: it } = await open((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse(events().slice(0, 2)), () => response.destroy());
    });
    const answer = await post();
    await expect(answer.text()).rejects.toThrow();
    await expect.poll(() => it.totals.answers).toBe(1);
    expect(it.totals).toMatchObject({ estimated: true, inputTokens: 1000 });
    expect(it.totals.microUsd).toBeGreaterThan(0);
  });

  it('takes an unknown model at the dearest price, marked as an estimate', async () => {
    const { post, gateway: it } = await open((response) => json(response, { model: 'mystery-9' }));
    await (await post()).text();
    expect(it.totals).toMatchObject({ microUsd: 5 * cost, estimated: true });
  });

  it('stops at the money: the answer that crosses the line is delivered, the next request is not', async () => {
    let exhausted = 0;
    const { post, seen } = await open((response) => json(response), {
      maxMicroUsd: cost + 1,
      onExhausted: () => {
        exhausted += 1;
      },
    });
    expect((await post()).status).toBe(200);
    const second = await post();
    await second.text();
    expect(second.status).toBe(200);
    expect(exhausted).toBe(1);
    const third = await post();
    expect(third.status).toBe(400);
    expect(await third.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect(seen.length).toBe(2);
  });

  it('refuses everything after it was stopped', async () => {
    const { post, gateway: it, seen } = await open((response) => json(response));
    it.stop();
    expect((await post()).status).toBe(400);
    expect(seen).toEqual([]);
  });

  it('serves nobody without the child key, and passes on nothing but messages', async () => {
    const { post, seen, gateway: it } = await open((response) => json(response));
    expect((await post('/v1/messages', { 'x-api-key': 'guess' })).status).toBe(403);
    expect((await post('/v1/files')).status).toBe(404);
    expect((await post('/v1/messages/batches')).status).toBe(404);
    expect((await post('/v1/messages/../files')).status).toBe(404);
    expect((await fetch(`${it.url}/`, { method: 'HEAD' })).status).toBe(200);
    expect(seen).toEqual([]);
  });

  it('passes errors of the API on with their headers', async () => {
    const { post, gateway: it } = await open((response) => {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' });
      response.end('{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}');
    });
    const answer = await post();
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('7');
    await answer.text();
    expect(it.totals).toMatchObject({ microUsd: 0, answers: 0, requests: 1 });
  });

  it('breaks off when the model cannot be reached', async () => {
    const { post } = await open((response) => void response.destroy());
    await expect(post()).rejects.toThrow();
  });
});
