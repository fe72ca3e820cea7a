import { describe, expect, it } from 'vitest';
import { childAccess } from '../../../src/worker/agent-access.ts';
import type { BoundAttempt } from '../../../src/worker/bound-attempt.ts';
import { StreamReader } from '../../../src/worker/claude/stream.ts';

describe('a stream without end', () => {
  it('costs each line the same, and every message counts once', () => {
    const reader = new StreamReader();
    const usage = { input_tokens: 1, output_tokens: 2 };
    for (let index = 0; index < 150_000; index += 1) {
      const message = { id: `m${index}`, content: [], usage };
      reader.push(Buffer.from(`${JSON.stringify({ type: 'assistant', message })}\n`));
    }
    expect(reader.summary.live).toMatchObject({
      messages: 150_000,
      inputTokens: 150_000,
      outputTokens: 300_000,
    });
  }, 30_000);
});

describe('what a child may read', () => {
  it('has tool chains below /tmp in it, and never /tmp itself', () => {
    const folders = { home: '/h', temporary: '/t', config: '/c' };
    const environment = { PATH: '/tmp/here:/tmp/chain/bin:/usr/bin' };
    const job = { program: process.execPath, environment, readable: [], writable: [] };
    const { readable } = childAccess({ folders, job } as unknown as BoundAttempt, '/w');
    expect(readable).toEqual(expect.arrayContaining(['/c', '/tmp/here', '/tmp/chain']));
    expect(readable).not.toContain('/tmp');
  });
});
