import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/host/clock.ts';
import { type AgentEnding, runAgent } from '../../src/worker/claude/process.ts';
import type { GatewayBounds } from '../../src/worker/gateway/gateway.ts';
import { chunk } from '../unit/worker/gateway/support/aws-frames.ts';
import {
  type AccessParts,
  type Answer,
  apiError,
  childKey,
  closeAll,
  json,
  openGateway,
  sse,
  type Ways,
} from '../unit/worker/gateway/support/gateway-world.ts';
import { ClaudeHouse } from './support/run-claude.ts';

let house: ClaudeHouse;
beforeAll(async () => {
  house = await ClaudeHouse.open();
});
afterEach(closeAll);
afterAll(() => house.close());

const usage = { input_tokens: 1000, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
/** One short answer, as events of the Messages API. */
const events = (text: string) => [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5-20250929',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { ...usage, output_tokens: 50 },
  },
  { type: 'message_stop' },
];
const whole = (text: string) => ({
  id: 'msg_2',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { ...usage, output_tokens: 50 },
});
/** 1000 at 3 $ and 50 at 15 $ a million. */
const cost = 3750;

const head = (response: Parameters<Answer>[0], more: object = {}) =>
  response.writeHead(200, { 'content-type': 'text/event-stream', ...more });

async function run(
  answer: Answer,
  parts: AccessParts & { readonly bounds?: Partial<GatewayBounds> } = {},
): Promise<Ways & { ending: AgentEnding; text: string | null | undefined }> {
  const ways = await openGateway(answer, parts);
  const prepared = house.prepare(ways.gateway.url, { env: { CLAUDE_CODE_MAX_RETRIES: '3' } });
  const env = { ...prepared.env, ANTHROPIC_API_KEY: childKey };
  const ending = await runAgent(house.sandbox, { ...prepared, env }, systemClock);
  return { ...ways, ending, text: ending.summary.result?.result };
}

describe('the real CLI behind the gateway', () => {
  it('takes the event stream of Bedrock for the Messages API', async () => {
    const config = {
      kind: 'bedrock',
      region: 'eu-west-1',
      auth: 'bearer',
      models: { 'claude-sonnet-4-5': 'eu.anthropic.claude' },
    };
    const { ending, text, gateway, seen } = await run(
      (response) => {
        head(response, { 'content-type': 'application/vnd.amazon.eventstream' });
        response.end(Buffer.concat(events('from a cloud').map(chunk)));
      },
      { config },
    );
    expect([ending.outcome.reason, text]).toEqual(['completed', 'from a cloud']);
    expect(gateway.totals).toMatchObject({ answers: 1, microUsd: cost, estimated: false });
    expect(seen.map(({ path }) => path)).toEqual(['/model/eu.anthropic.claude/invoke-with-response-stream']);
    const body = JSON.parse(String(seen[0]?.body)) as Record<string, unknown>;
    expect(body).toMatchObject({ anthropic_version: 'bedrock-2023-05-31' });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['model']));
    expect(ending.summary.result?.total_cost_usd).toBe(cost / 1e6);
  });

  it('asks again when a silent answer is broken off, long before it would have noticed', async () => {
    let asked = 0;
    const began = performance.now();
    const { ending, text, gateway, lines } = await run(
      (response, { body }) => {
        asked += 1;
        // After a break in the middle it asks for an answer that comes whole.
        if (!String(body).includes('"stream":true')) return json(response, whole('at last'));
        head(response);
        if (asked === 1) response.write(sse(events('lost').slice(0, 1)));
        else response.end(sse(events('at last')));
      },
      { bounds: { silenceMs: 1500 } },
    );
    expect([ending.outcome.reason, text]).toEqual(['completed', 'at last']);
    expect(performance.now() - began).toBeLessThan(60_000);
    expect(lines[0]?.end).toBe('stalled');
    expect(gateway.totals.estimated).toBe(true);
  });

  it('notices nothing of compression, of a key that is refused, of a limit that is waited for', async () => {
    let limited = false;
    const {
      ending,
      text,
      gateway,
      events: told,
    } = await run(
      (response, { headers }) => {
        if (headers['x-api-key'] === 'sk-first')
          return json(response, apiError('authentication_error', 'invalid x-api-key'), 401);
        if (!limited) {
          limited = true;
          return json(response, apiError('rate_limit_error', 'slow down'), 429, { 'retry-after': '1' });
        }
        head(response, { 'content-encoding': 'gzip' });
        response.end(gzipSync(sse(events('pressed'))));
      },
      { keys: ['sk-first', 'sk-second'] },
    );
    expect([ending.outcome.reason, text]).toEqual(['completed', 'pressed']);
    expect(gateway.totals).toMatchObject({ answers: 1, microUsd: cost, estimated: false });
    expect(told).toContainEqual(expect.objectContaining({ type: 'slot-lost', slot: 1, left: 1, of: 2 }));
  });

  it('says in words that the table knows that an allowance is used up, and when that ends', async () => {
    const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const message = `You have reached your specified API usage limits. You will regain access on ${day} at 00:00 UTC.`;
    const { ending, stops } = await run((response) =>
      json(response, apiError('invalid_request_error', message), 400),
    );
    expect(ending.outcome).toMatchObject({ reason: 'usage-limit', resetsAt: `${day}T00:00:00.000Z` });
    expect(stops).toEqual([{ reason: 'usage-limit', resetsAt: `${day}T00:00:00.000Z` }]);
  });
});
