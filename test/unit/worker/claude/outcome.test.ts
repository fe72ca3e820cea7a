import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { classifyRun, type RunEnding, type StopCause } from '../../../../src/worker/claude/outcome.ts';
import { outcomeTable } from '../../../../src/worker/claude/outcome-table.ts';
import { judgeRecording } from '../../../../src/worker/recordings/judge-recording.ts';
import { parseManifest } from '../../../../src/worker/recordings/manifest.ts';
import { summaryOf } from '../support/stream-of.ts';

const root = join(import.meta.dirname, '../../../..');
const folder = join(root, 'fixtures/transcripts');
const manifestFile = join(folder, 'manifest.json');
const recordings = parseManifest(readFileSync(manifestFile, 'utf8'), manifestFile);
const cases = recordings.map((recording) => [recording.name, recording] as const);
const bytesOf = (name: string) => readFileSync(join(folder, `${name}.jsonl`));

/** Words of the recordings for what our table tells more closely. */
const closer: Record<string, readonly string[]> = {
  signal: ['cancelled'],
  billing: ['usage-limit'],
  completed: ['only-denied'],
};

describe('recorded runs of the real CLI', () => {
  it.each(cases)('%s', (name, recording) => {
    const got = judgeRecording(recording, summaryOf(bytesOf(name)));
    const reason = recording.expected.reason.replaceAll('_', '-');
    expect(got).toMatchObject({ class: recording.expected.class, retry: recording.expected.retry });
    expect([reason, ...(closer[reason] ?? [])]).toContain(got.reason);
  });

  it.each(cases)('%s cut at every 997th byte is no success that it did not earn', (name, recording) => {
    const bytes = bytesOf(name);
    const whole = judgeRecording(recording, summaryOf(bytes)).class;
    for (let at = 997; at < bytes.length; at += 997) {
      const summary = summaryOf(bytes.subarray(0, at));
      const got = classifyRun({ exit: ended(0), summary, stopped: null, schemaAsked: false });
      const lost = bytes.subarray(at).toString('latin1').trim();
      if (got.class === 'success')
        expect([whole, lost.includes('"type":"result"')]).toEqual(['success', false]);
    }
  });

  it('tells that only refusals came back', () => {
    const denied = recordings.filter(({ name }) => judgeOf(name).reason === 'only-denied');
    expect(denied.map(({ name }) => name)).toContain('hook-exit2');
    expect(judgeOf('recommended-argv').reason).toBe('completed');
  });

  it('tells when a usage limit ends', () => {
    expect(judgeOf('api-400-spend-limit')).toMatchObject({
      class: 'auth',
      reason: 'usage-limit',
      retry: false,
      breaker: 'stop',
      resetsAt: '2026-12-01T00:00:00.000Z',
    });
  });
});

function judgeOf(name: string) {
  return judgeRecording(recordings.find((recording) => recording.name === name)!, summaryOf(bytesOf(name)));
}

function ended(exitCode: number | null, signal: NodeJS.Signals | null = null): RunEnding['exit'] {
  return { kind: 'exited', exitCode, signal };
}

const init = { type: 'system', subtype: 'init', session_id: 's', model: 'claude-sonnet-4-5' };
const answer = {
  type: 'assistant',
  message: { id: 'm', model: 'claude-sonnet-4-5', content: [], usage: { input_tokens: 1 } },
};
const success = { type: 'result', subtype: 'success', is_error: false, result: 'done', num_turns: 1 };
const made = (error: string) => ({
  type: 'assistant',
  message: { id: 'x', model: '<synthetic>', content: [] },
  error,
});

function classify(events: readonly (object | Buffer)[], ending: Partial<RunEnding> = {}) {
  const summary = summaryOf(...events);
  return classifyRun({ exit: ended(0), summary, stopped: null, schemaAsked: false, ...ending });
}

describe('a success in disguise', () => {
  const run = [init, answer];
  it.each([
    ['no result at all', run, 'transient', 'no-result'],
    [
      'an error of the API',
      [...run, { ...success, is_error: true, api_error_status: 500 }],
      'transient',
      'server-error',
    ],
    ['a status without the mark', [...run, { ...success, api_error_status: 401 }], 'auth', 'invalid-api-key'],
    ['a refusal', [...run, { ...success, stop_reason: 'refusal' }], 'deterministic', 'refusal'],
    ['no answer', [...run, { ...success, result: ' \n' }], 'empty', 'empty-result'],
    ['no text field', [...run, { ...success, result: undefined }], 'empty', 'empty-result'],
    ['turns used up', [...run, { ...success, terminal_reason: 'max_turns' }], 'budget', 'max-turns'],
    ['money used up', [...run, { ...success, terminal_reason: 'budget_exhausted' }], 'budget', 'max-cost'],
    ['an interruption', [...run, { ...success, terminal_reason: 'aborted_tools' }], 'cancelled', 'interrupt'],
    [
      'a reason unheard of',
      [...run, { ...success, terminal_reason: 'constructor' }],
      'deterministic',
      'unknown-ending',
    ],
    ['a last answer that is an error', [...run, made('server_error'), success], 'transient', 'network'],
    ['another turn that never ended', [...run, success, init, answer], 'transient', 'no-result'],
    [
      'a stream that was cut after it',
      [...run, success, Buffer.from('{"type":"sys')],
      'transient',
      'no-result',
    ],
    ['a result that says nothing', [...run, { type: 'result' }], 'deterministic', 'malformed-report'],
    [
      'a mark that is no truth value',
      [...run, { ...success, is_error: 'false' }],
      'deterministic',
      'malformed-report',
    ],
  ] as const)('%s', (_what, events, expected, reason) => {
    expect(classify(events)).toMatchObject({ class: expected, reason });
  });

  it('is told from a real one', () => {
    expect(classify([...run, success])).toMatchObject({ class: 'success', reason: 'completed' });
    const withoutEnd = Buffer.from(JSON.stringify(success));
    expect(classify([...run, withoutEnd]).class).toBe('success');
    expect(classify([init, made('server_error'), answer, success]).class).toBe('success');
  });

  it.each([undefined, null])('wants the output that was asked for, not %s', (structured_output) => {
    const events = [...run, { ...success, structured_output }];
    expect(classify(events, { schemaAsked: true }).reason).toBe('structured-output-missing');
    const given = [...run, { ...success, result: '', structured_output: { answer: 1 } }];
    expect(classify(given, { schemaAsked: true }).class).toBe('success');
  });
});

describe('what the agent says', () => {
  const words = 'Error 401 authentication_failed, rate limit, credit balance is too low, usage limit reached';
  it('misleads nobody, in its answer or in what its tools print', () => {
    const prints = { type: 'user', message: { content: [{ type: 'tool_result', content: words }] } };
    const says = { ...answer, message: { ...answer.message, content: [{ type: 'text', text: words }] } };
    expect(classify([init, says, prints, { ...success, result: words }])).toMatchObject({ class: 'success' });
  });
  it('is not looked at for an error that the CLI names itself', () => {
    const failed = { ...success, is_error: true, api_error_status: 400, result: words };
    expect(classify([init, answer, failed]).reason).toBe('invalid-request');
    expect(classify([init, answer, made('unknown'), failed]).reason).toBe('usage-limit');
  });
});

describe('an ending without a result', () => {
  it.each([
    ['a kill that was not ours', ended(null, 'SIGKILL'), 'transient', 'killed'],
    ['the same, told by a shell', ended(137), 'transient', 'killed'],
    ['a crash', ended(139), 'transient', 'no-result'],
    ['nobody saw it', ended(null), 'transient', 'runner-lost'],
    ['exit 0', ended(0), 'transient', 'no-result'],
    ['exit 1', ended(1), 'deterministic', 'cli-usage'],
    ['no such program', ended(127), 'deterministic', 'spawn-failed'],
    ['no right to start it', ended(126), 'deterministic', 'spawn-failed'],
    ['not started', { kind: 'not-started', code: 'E2BIG' }, 'deterministic', 'spawn-failed'],
  ] as const)('%s', (_what, exit, expected, reason) => {
    expect(classify([], { exit })).toMatchObject({ class: expected, reason });
  });

  it.each<[StopCause, string]>([
    ['cancelled', 'cancelled'],
    ['stalled', 'transient'],
    ['wall-clock', 'budget'],
    ['max-cost', 'budget'],
    ['invalid-api-key', 'auth'],
  ])('an ending of ours for %s is %s', (stopped, expected) => {
    expect(classify([init, answer], { stopped })).toMatchObject({ class: expected, reason: stopped });
  });
});

describe('a usage limit', () => {
  const limited = (text: string) =>
    classify([init, made('rate_limit'), { ...success, is_error: true, api_error_status: 429, result: text }]);
  it.each([
    ['Claude AI usage limit reached|1764547200', '2025-12-01T00:00:00.000Z'],
    ["You've hit your weekly limit · resets Friday", null],
    [
      'You have reached your specified API usage limits. You will regain access on 2026-13-01 at 00:00 UTC.',
      null,
    ],
  ])('%s', (text, resetsAt) => {
    expect(limited(text)).toMatchObject({ reason: 'usage-limit', retry: false, resetsAt });
  });
  it('is no rate limit', () => {
    expect(limited('This request would exceed your rate limit.')).toMatchObject({
      reason: 'rate-limit',
      retry: true,
      resetsAt: null,
    });
  });
});

describe('the outcome table', () => {
  it('is the one in docs/worker.md', () => {
    const written = readFileSync(join(root, 'docs/worker.md'), 'utf8')
      .split('\n')
      .filter((line) =>
        /^\| `[a-z-]+` \| (?:success|empty|transient|budget|cancelled|auth|deterministic) /.test(line),
      );
    const rows = Object.entries(outcomeTable).map(
      ([reason, row]) =>
        `| \`${reason}\` | ${row.class} | ${row.retry ? 'yes' : 'no'} | ${row.breaker} | ${row.told} |`,
    );
    expect(written).toEqual(rows);
  });
});
