import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ProgressEvent, progressLine } from '../../../../src/worker/claude/progress-event.ts';
import { StreamReader } from '../../../../src/worker/claude/stream.ts';
import { lineOf, summaryOf } from '../support/stream-of.ts';

const folder = join(import.meta.dirname, '../../../../fixtures/transcripts');
const recorded = (name: string) => readFileSync(join(folder, `${name}.jsonl`));

function progressOf(...pieces: readonly Buffer[]): ProgressEvent[] {
  const told: ProgressEvent[] = [];
  const reader = new StreamReader({ onProgress: (event) => told.push(event) }, 1000);
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return told;
}

describe('live totals', () => {
  it('match the final figures of a recorded run with partial messages', () => {
    const { live, result, toolCalls, toolResults, toolErrors } = summaryOf(recorded('recommended-argv'));
    const used = result?.modelUsage['claude-sonnet-4-5'];
    expect(live).toMatchObject({
      inputTokens: used?.inputTokens,
      outputTokens: used?.outputTokens,
      cacheReadTokens: used?.cacheReadInputTokens,
      cacheWriteTokens: used?.cacheCreationInputTokens,
      microUsd: Math.round((result?.total_cost_usd ?? 0) * 1e6),
      unknownModel: null,
    });
    expect([toolCalls, toolResults, toolErrors]).toEqual([6, 6, 2]);
  });

  it('take figures that are no numbers as zero', () => {
    const usage = { input_tokens: -5, output_tokens: 'many', cache_read_input_tokens: 7 };
    const { live } = summaryOf({ type: 'assistant', message: { id: 'm', model: 'x', content: [], usage } });
    expect(live).toMatchObject({ inputTokens: 0, outputTokens: 0, cacheReadTokens: 7 });
  });

  it('keep the final figure of a message whose start is repeated after it', () => {
    const usage = { input_tokens: 10, output_tokens: 1 };
    const message = { id: 'm', model: 'claude-sonnet-4-5', content: [], usage };
    const delta = { type: 'message_delta', usage: { output_tokens: 500 } };
    const { live } = summaryOf(
      { type: 'stream_event', event: { type: 'message_start', message } },
      { type: 'assistant', message },
      { type: 'stream_event', event: delta },
      { type: 'assistant', message },
    );
    expect(live).toMatchObject({ inputTokens: 10, outputTokens: 500, messages: 1, microUsd: 7530 });
  });

  it('price each answer by its own model, an unknown one at the dearest, and warn once', () => {
    const says = (id: string, model: string) =>
      lineOf({
        type: 'assistant',
        message: { id, model, usage: { input_tokens: 1000, output_tokens: 1000 } },
      });
    const stream = [
      says('a', 'claude-haiku-4-5'),
      says('b', 'claude-sonnet-4-5'),
      says('b', 'claude-sonnet-4-5'),
      says('c', 'who-knows'),
      says('d', 'who-else'),
    ];
    const { live } = summaryOf(...stream);
    expect(live).toMatchObject({
      microUsd: 6_000 + 18_000 + 90_000 + 90_000,
      unknownModel: 'who-knows',
      messages: 4,
    });
    const warnings = progressOf(...stream).filter(({ type }) => type === 'warning');
    expect(warnings).toEqual([{ type: 'warning', warning: 'unknown-model', count: 1 }]);
  });
});

describe('lines that cannot be read', () => {
  const whole = lineOf({ type: 'user', message: { content: [] } });
  it('are counted and said, each kind apart', () => {
    const long = Buffer.from(`{"type":"user","message":"${'x'.repeat(1000)}"}\n`);
    const stream = [whole, Buffer.from('nonsense\n[1]\n{"type":"user"\n"text"\n\n'), long, whole];
    const reader = new StreamReader({}, 1000);
    for (const piece of [...stream, Buffer.from('{"type":"us')]) reader.push(piece);
    reader.end();
    expect(reader.summary).toMatchObject({ events: 2, unreadable: 4, overlong: 1, lastLineCut: true });
    expect(progressOf(...stream).filter(({ type }) => type === 'warning')).toEqual([
      { type: 'warning', warning: 'unreadable-line', count: 1 },
      { type: 'warning', warning: 'overlong-line', count: 1 },
    ]);
  });
  it('become no flood of warnings', () => {
    const told = progressOf(Buffer.from('x\n'.repeat(12_345)));
    expect(told.map((event) => event.type === 'warning' && event.count)).toEqual([1, 10, 100, 1000, 10_000]);
  });
  it('hold no memory, however long they are', () => {
    const reader = new StreamReader({}, 1024 * 1024);
    const chunk = Buffer.alloc(256 * 1024, 'x');
    const before = process.memoryUsage().arrayBuffers;
    for (let index = 0; index < 400; index += 1) reader.push(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
    reader.push(Buffer.from('\n'));
    reader.push(whole);
    expect(reader.summary).toMatchObject({ events: 1, overlong: 1 });
  });
  it('do not hide the result that comes after them', () => {
    const result = { type: 'result', subtype: 'success', is_error: false, result: 'é€😀' };
    expect(summaryOf(Buffer.from([0xff, 0xfe, 0x22, 10]), result).result?.result).toBe('é€😀');
  });
});

describe('progress', () => {
  it('tells the steps of a recorded run', () => {
    const told: ProgressEvent[] = [];
    const reader = new StreamReader({ onProgress: (event) => told.push(event) });
    reader.push(recorded('recommended-argv'));
    reader.end();
    const steps = told.filter(({ type }) => type !== 'cost-update');
    expect(steps[0]).toMatchObject({ type: 'run-started', model: 'claude-sonnet-4-5', version: '2.1.197' });
    expect(steps.flatMap((event) => (event.type === 'tool-called' ? [event.tool] : []))).toEqual([
      'Read',
      'Edit',
      'Bash',
      'Write',
      'Bash',
      'Bash',
    ]);
    expect(steps.at(-1)).toEqual({
      type: 'run-ended',
      subtype: 'success',
      isError: false,
      turns: 7,
      denials: 1,
    });
    const costs = told.flatMap((event) => (event.type === 'cost-update' ? [event.microUsd] : []));
    expect(costs).toEqual([...costs].sort((left, right) => left - right));
    expect(costs.at(-1)).toBe(138_600);
  });
  it.each([
    ['api-529-fallback-model', { type: 'model-changed' }],
    ['context-400-after-long-run', { type: 'context-compacted' }],
    ['api-429-forever-2-retries', { type: 'retry-scheduled', attempt: 2, maxRetries: 2, status: 429 }],
    ['mcp-broken-server', { type: 'run-started', failedServers: 1 }],
  ])('of %s has %o', (name, expected) => {
    const told: ProgressEvent[] = [];
    new StreamReader({ onProgress: (event) => told.push(event) }).push(recorded(name));
    expect(told).toEqual(expect.arrayContaining([expect.objectContaining(expected)]));
  });
  it('names nothing that is no name', () => {
    const content = [{ type: 'tool_use', name: 'Bash\u001b[2J ::error::' }];
    expect(progressOf(lineOf({ type: 'assistant', message: { id: 'm', content } }))).toEqual([
      { type: 'tool-called', tool: 'other', toolCalls: 1 },
    ]);
  });
  it('is one JSON document a line', () => {
    expect(progressLine({ type: 'tool-ended', failed: true }, 0)).toBe(
      '{"ts":"1970-01-01T00:00:00.000Z","type":"tool-ended","failed":true}\n',
    );
  });
});
