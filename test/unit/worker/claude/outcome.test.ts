import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { classifyRun, type StopCause } from '../../../../src/worker/claude/outcome.ts';
import { StreamReader } from '../../../../src/worker/claude/stream.ts';

interface Scenario {
  readonly name: string;
  readonly file: string;
  readonly argv: readonly string[];
  readonly exit_code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly sent_signal: string | null;
  readonly last_line_cut: boolean;
  readonly expected: {
    readonly class: string;
    readonly reason: string;
    readonly retry: boolean;
    readonly basis: string;
  };
}

const folder = join(import.meta.dirname, '../../../../fixtures/transcripts');
const manifest: { scenarios: Scenario[] } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));

/** Words of the recordings for what our table words otherwise. */
const renamed: Record<string, string> = { signal: 'cancelled' };
/** A fault that the API put into the stream reads like a broken connection: the class is what counts. */
const sameClassOnly = new Set(['stream-error-overloaded-forever']);

function read(file: string): StreamReader {
  const reader = new StreamReader();
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  const last = lines.pop() ?? '';
  for (const line of lines) reader.push(line);
  if (last !== '') reader.push(last, true);
  return reader;
}

function judge(scenario: Scenario) {
  const stopped: StopCause | null = scenario.sent_signal === null ? null : 'cancelled';
  return classifyRun({
    exit: { kind: 'exited', exitCode: scenario.exit_code, signal: scenario.signal },
    summary: read(scenario.file).summary,
    stopped,
    schemaAsked: scenario.argv.some((word) => word.startsWith('--json-schema')),
  });
}

describe('recorded runs of the real CLI', () => {
  const judged = manifest.scenarios.filter((scenario) => scenario.expected.basis !== 'git');

  it('covers every recording but the two that only git can tell', () => {
    expect(manifest.scenarios.length - judged.length).toBe(2);
    expect(judged.length).toBe(106);
  });

  it.each(judged.map((scenario) => [scenario.name, scenario] as const))('%s', (name, scenario) => {
    const got = judge(scenario);
    const reason = scenario.expected.reason.replaceAll('_', '-');
    expect(got).toMatchObject({ class: scenario.expected.class, retry: scenario.expected.retry });
    if (!sameClassOnly.has(name)) expect(got.reason).toBe(renamed[reason] ?? reason);
  });

  it.each(judged.map((scenario) => [scenario.name, scenario] as const))(
    '%s cut at every 997th byte never throws and never succeeds without a result',
    (_name, scenario) => {
      const bytes = readFileSync(join(folder, scenario.file));
      for (let at = 997; at < bytes.length; at += 997) {
        const reader = new StreamReader();
        const lines = bytes.subarray(0, at).toString('utf8').split('\n');
        for (const [index, line] of lines.entries()) reader.push(line, index === lines.length - 1);
        const { summary } = reader;
        const got = classifyRun({
          exit: { kind: 'exited', exitCode: 0, signal: null },
          summary,
          stopped: null,
          schemaAsked: false,
        });
        if (summary.result === null) expect(got.class).not.toBe('success');
      }
    },
  );
});

describe('what no recording shows', () => {
  const exit = { kind: 'exited', exitCode: 0, signal: null } as const;
  const empty = new StreamReader().summary;

  it('takes exit 0 without a result for no success', () => {
    expect(classifyRun({ exit, summary: empty, stopped: null, schemaAsked: false })).toMatchObject({
      class: 'transient',
      reason: 'no-result',
    });
  });

  it('takes a kill that was not ours for a passing fault', () => {
    const killed = { kind: 'exited', exitCode: null, signal: 'SIGKILL' } as const;
    expect(classifyRun({ exit: killed, summary: empty, stopped: null, schemaAsked: false })).toMatchObject({
      class: 'transient',
      reason: 'killed',
    });
  });

  it('is not misled by what the agent says', () => {
    const reader = new StreamReader();
    const result = 'Error 401 authentication_failed, rate limit, credit balance is too low, timeout';
    reader.push(
      JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result, num_turns: 1 }),
    );
    expect(classifyRun({ exit, summary: reader.summary, stopped: null, schemaAsked: false }).class).toBe(
      'success',
    );
  });

  it('wants the structured output that was asked for', () => {
    const reader = new StreamReader();
    reader.push(
      JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'done', num_turns: 1 }),
    );
    expect(classifyRun({ exit, summary: reader.summary, stopped: null, schemaAsked: true })).toMatchObject({
      class: 'deterministic',
    });
  });

  it.each([
    ['cancelled', 'cancelled'],
    ['stalled', 'transient'],
    ['wall-clock', 'budget'],
    ['max-cost', 'budget'],
    ['invalid-api-key', 'auth'],
  ] as const)('an ending of ours for %s is %s', (stopped, expected) => {
    expect(classifyRun({ exit, summary: empty, stopped, schemaAsked: false }).class).toBe(expected);
  });
});

describe('live totals', () => {
  it('match the final figures of a recorded run with partial messages', () => {
    const { live, result, toolCalls } = read('recommended-argv.jsonl').summary;
    const used = result?.modelUsage['claude-sonnet-4-5'];
    expect(live.inputTokens).toBe(used?.inputTokens);
    expect(live.outputTokens).toBe(used?.outputTokens);
    expect(live.cacheReadTokens).toBe(used?.cacheReadInputTokens);
    expect(live.cacheWriteTokens).toBe(used?.cacheCreationInputTokens);
    expect(toolCalls).toBe(6);
  });

  it('take figures that are no numbers as zero', () => {
    const reader = new StreamReader();
    const usage = { input_tokens: -5, output_tokens: 'many', cache_read_input_tokens: 7 };
    reader.push(JSON.stringify({ type: 'assistant', message: { id: 'm', model: 'x', content: [], usage } }));
    expect(reader.summary.live).toMatchObject({ inputTokens: 0, outputTokens: 0, cacheReadTokens: 7 });
  });
});
