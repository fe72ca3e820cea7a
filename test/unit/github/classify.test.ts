import { describe, expect, it } from 'vitest';
import { classify, oneLine } from '../../../src/github/classify.ts';

const now = Date.parse('2026-11-30T12:00:00Z');

function answered(status: number, message = 'no', headers: Record<string, string> = {}) {
  return Object.assign(new Error(message), { status, response: { headers } });
}

describe('classify', () => {
  it.each([
    [400, 'unprocessable'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [405, 'conflict'],
    [409, 'conflict'],
    [410, 'not-found'],
    [422, 'unprocessable'],
    [451, 'forbidden'],
    [500, 'unclear'],
    [502, 'unclear'],
  ])('sorts status %i as %s', (status, kind) => {
    expect(classify(answered(status), now)).toMatchObject({ kind, status });
  });

  it('takes an error without an answer as unclear, whatever status a library gave it', () => {
    const timeout = Object.assign(new Error('The operation was aborted'), { status: 500 });
    expect(classify(timeout, now)).toMatchObject({ kind: 'unclear', status: null });
    expect(classify('odd', now)).toMatchObject({ kind: 'unclear', status: null, message: 'odd' });
  });

  it('reads when a secondary limit ends from retry-after', () => {
    const failure = classify(
      answered(403, 'You have exceeded a secondary rate limit', { 'retry-after': '30' }),
      now,
    );
    expect(failure).toMatchObject({ kind: 'rate-limited', retryAfterMs: 30_000, retryAtMs: now + 30_000 });
  });

  it('reads when the primary limit ends from its reset', () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 90) };
    expect(classify(answered(403, 'API limit', headers), now)).toMatchObject({
      kind: 'rate-limited',
      retryAtMs: now + 90_000,
    });
  });

  it('holds the reset against the clock of the server, and never waits for much more than an hour', () => {
    const reset = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 90) };
    const date = new Date(now).toUTCString();
    for (const wrong of [now - 3_600_000, now + 86_400_000]) {
      const told = classify(answered(403, 'API limit', { ...reset, date }), wrong);
      expect(told).toMatchObject({ kind: 'rate-limited', retryAfterMs: 90_000 });
    }
    const absurd = classify(answered(429, 'no', { 'retry-after': '99999999' }), now);
    expect(absurd).toMatchObject({ retryAfterMs: 3_660_000 });
  });

  it('waits at least a minute where a limit tells no time', () => {
    expect(classify(answered(429), now)).toMatchObject({ kind: 'rate-limited', retryAfterMs: 60_000 });
    expect(classify(answered(403, 'You have triggered an abuse detection mechanism'), now)).toMatchObject({
      kind: 'rate-limited',
      retryAfterMs: 60_000,
    });
    expect(classify(answered(422, 'was submitted too quickly'), now)).toMatchObject({ kind: 'rate-limited' });
  });

  it('keeps a plain 403 with requests left a refusal', () => {
    const headers = { 'x-ratelimit-remaining': '4999' };
    expect(classify(answered(403, 'Resource not accessible by integration', headers), now).kind).toBe(
      'forbidden',
    );
  });
});

describe('oneLine', () => {
  it('leaves no control character and no more than 500 characters', () => {
    const line = oneLine(`a\n::error::b\u001b[31m\u2028${'c'.repeat(600)}`);
    expect(line).toMatch(/^a ::error::b \[31m c+$/);
    expect(line).toHaveLength(500);
  });
});
