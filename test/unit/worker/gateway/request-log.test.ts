import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openRequestLog, type RequestLine } from '../../../../src/worker/gateway/request-log.ts';
import { closeAll, cost, openGateway, request, scratchFolder, sse, stream } from './support/gateway-world.ts';

afterEach(closeAll);

const line: RequestLine = {
  time: '2026-01-01T00:00:00.000Z',
  method: 'POST',
  path: '/v1/messages',
  model: 'm',
  status: 200,
  bytesIn: 1,
  bytesOut: 2,
  firstByteMs: 3,
  totalMs: 4,
  inputTokens: 5,
  outputTokens: 6,
  cacheReadTokens: 7,
  cacheWriteTokens: 8,
  microUsd: 9,
  estimated: false,
  waitedMs: 0,
  slot: 1,
  requestId: 'r',
  end: 'answered',
};

describe('the request log', () => {
  it('has a line for each request, with its figures and without a word of it', async () => {
    const file = join(scratchFolder(), 'log.ndjson');
    const log = openRequestLog(file);
    const { post } = await openGateway(
      (response) => {
        response.setHeader('request-id', 'req_017');
        stream(response);
      },
      { bounds: { log }, keys: ['sk-key-canary'] },
    );
    const asked = request({ stream: true, messages: [{ role: 'user', content: 'body-canary' }] });
    await (await post(asked, '/v1/messages?beta=true', { 'x-app': 'header-canary' })).text();
    await expect.poll(() => readFileSync(file, 'utf8')).not.toBe('');
    await log.close();
    const text = readFileSync(file, 'utf8');
    expect(text).not.toMatch(/canary|hello/);
    expect(JSON.parse(text)).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      method: 'POST',
      path: '/v1/messages',
      model: 'claude-sonnet-4-5',
      status: 200,
      bytesIn: JSON.stringify(asked).length,
      bytesOut: Buffer.byteLength(sse()),
      firstByteMs: expect.any(Number),
      totalMs: expect.any(Number),
      inputTokens: 1000,
      outputTokens: 200,
      cacheReadTokens: 10_000,
      cacheWriteTokens: 0,
      microUsd: cost,
      estimated: false,
      waitedMs: expect.any(Number),
      slot: 1,
      requestId: 'req_017',
      end: 'answered',
    });
  });

  it('ends at its size, and says so once', async () => {
    const file = join(scratchFolder(), 'log.ndjson');
    const log = openRequestLog(file, 2000);
    for (let count = 0; count < 100; count += 1) log.write(line);
    await log.close();
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one));
    expect(readFileSync(file).length).toBeLessThan(2200);
    expect(lines.filter(({ end }) => end === 'log-full').length).toBe(1);
    expect(lines.at(-1)).toEqual({ time: line.time, end: 'log-full' });
  });

  it('that cannot be written ends nothing', async () => {
    const folder = join(scratchFolder(), 'folder');
    mkdirSync(folder);
    const log = openRequestLog(folder);
    log.write(line);
    await log.close();
    log.write(line);
  });
});
