import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentVersion } from '../../src/worker/claude/tested-versions.ts';
import { claudeVersion, installClaude } from './support/install-claude.ts';
import { bash, ClaudeHouse, type ClaudePlan, type ClaudeRun, edit } from './support/run-claude.ts';

let house: ClaudeHouse;
beforeAll(async () => {
  house = await ClaudeHouse.open();
});
afterAll(() => house.close());

/** Starting the CLI is most of a run: two at a time fill two cores. */
const slots = pLimit(2);
const run = (script: unknown, plan?: ClaudePlan): Promise<ClaudeRun> => slots(() => house.run(script, plan));

const usage = {
  input_tokens: 100,
  output_tokens: 10,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};
const forever = (turn: object) => ({ usage, turns: [edit, { ...turn, times: 'forever' }] });
const status = (code: number, type: string, message: string, headers = {}) =>
  forever({ status: code, error: { type, message }, headers });

/** Ends the CLI a moment after its second tool began. */
function onSecondTool(name: NodeJS.Signals): NonNullable<ClaudePlan['onTool']> {
  let calls = 0;
  return (signal) => {
    calls += 1;
    if (calls === 2) setTimeout(() => signal(name), 1000);
  };
}

/** What ends a run by itself: the script, and the outcome by the table in docs/worker.md. */
const endings: [string, unknown, string, ClaudePlan?][] = [
  ['success', { usage, turns: [edit, { text: 'Done.' }] }, 'success completed'],
  [
    'turns used up',
    forever(bash('true')),
    'budget max-turns',
    { command: { limits: { maxTurns: 2, maxMicroUsd: 5_000_000 } } },
  ],
  [
    'money used up',
    { usage: { ...usage, output_tokens: 100_000 }, turns: [edit, bash('true'), { text: 'Done.' }] },
    'budget max-cost',
    { command: { limits: { maxTurns: 20, maxMicroUsd: 2_000_000 } } },
  ],
  ['401', status(401, 'authentication_error', 'invalid x-api-key'), 'auth invalid-api-key'],
  [
    '429 and then success',
    { usage, turns: [edit, { status: 429, headers: { 'retry-after': '1' } }, { text: 'Done.' }] },
    'success completed',
  ],
  [
    '429 for ever',
    status(429, 'rate_limit_error', 'slow down', { 'retry-after': '1' }),
    'transient rate-limit',
  ],
  ['529', status(529, 'overloaded_error', 'Overloaded'), 'transient overloaded'],
  ['500', status(500, 'api_error', 'Internal server error'), 'transient server-error'],
  ['disconnect', forever({ text: 'I begin.', cut: 'before' }), 'transient network'],
  [
    'context overflow',
    status(400, 'invalid_request_error', 'prompt is too long: 250000 tokens > 200000 maximum'),
    'deterministic context-length',
  ],
  ['refusal', forever({ text: '', stop_reason: 'refusal' }), 'deterministic refusal'],
  ['empty answer', forever({ text: '' }), 'empty empty-result'],
  [
    'SIGTERM from outside in the middle of a tool',
    { usage, turns: [edit, bash('sleep 20')] },
    'transient no-result',
    { onTool: onSecondTool('SIGTERM') },
  ],
  [
    'SIGKILL from outside in the middle of a tool',
    { usage, turns: [edit, bash('sleep 20')] },
    'transient killed',
    { onTool: onSecondTool('SIGKILL') },
  ],
  [
    'silence of the model',
    { usage, turns: [edit, { text: 'I begin.', stall: 'start' }] },
    'transient stalled',
    {
      run: {
        limits: { wallClockMs: 120_000, silenceMs: 6000, firstEventMs: 60_000 },
        killTimes: { interruptMs: 3000, terminateMs: 1000 },
      },
    },
  ],
];

describe('the real CLI ends', () => {
  it.concurrent.each(endings)('in the class of the table: %s', async (_name, script, expected, plan) => {
    const { ending, left, file, warnings } = await run(script, plan);
    expect(`${ending.outcome.class} ${ending.outcome.reason}`, JSON.stringify(ending.exit)).toBe(expected);
    expect(left).toEqual([]);
    // Whatever came after it, what was written stays.
    if (JSON.stringify(script).includes('b.txt')) expect(file('b.txt')).toBe('saved\n');
    expect(ending.summary.init?.claude_code_version ?? claudeVersion).toBe(claudeVersion);
    expect(
      warnings.filter((warning) => warning.startsWith('unreadable') || warning.startsWith('cut')),
    ).toEqual([]);
  });

  it.concurrent('with a result when it is cancelled in the middle of a tool, and with what the tool started', async () => {
    const stop = new AbortController();
    const script = {
      usage,
      turns: [edit, bash('touch begun; (setsid sleep 300 &); sleep 300'), { text: 'Done.' }],
    };
    const plan: ClaudePlan = {
      run: {
        stop: stop.signal,
        onProgress: (event) =>
          void (
            event.type === 'tool-called' &&
            event.toolCalls === 2 &&
            setTimeout(() => stop.abort('superseded'), 1500)
          ),
      },
    };
    const { ending, left, file } = await run(script, plan);
    expect(ending).toMatchObject({
      stopped: 'superseded',
      outcome: { class: 'cancelled', reason: 'superseded' },
    });
    expect(ending.summary.result?.total_cost_usd).toBeGreaterThan(0);
    expect([left, file('b.txt')]).toEqual([[], 'saved\n']);
  });

  it.concurrent('as usual after a tool that printed 20 MB', async () => {
    const { ending, left } = await run({
      usage,
      turns: [bash('yes 0123456789 | head -c 20000000'), { text: 'Done.' }],
    });
    expect([ending.outcome.reason, ending.summary.unreadable, left]).toEqual(['completed', 0, []]);
  });

  it.concurrent('each for itself when two run at once', async () => {
    const one = (word: string) =>
      house.run({ usage, turns: [bash(`echo ${word} > word; sleep 1`), { text: word }] });
    const [left, right] = await slots(() => Promise.all([one('left'), one('right')]));
    expect([left.ending.summary.result?.result, left.file('word')]).toEqual(['left', 'left\n']);
    expect([right.ending.summary.result?.result, right.file('word')]).toEqual(['right', 'right\n']);
  });

  it.concurrent('as usual when an MCP server does not start or hangs, with a warning, and takes the server with it', async () => {
    const config = join(house.root, 'mcp.json');
    const servers = {
      hung: { command: 'sh', args: ['-c', 'trap "" INT TERM HUP; sleep 300'] },
      gone: { command: '/no/such/server' },
    };
    writeFileSync(config, JSON.stringify({ mcpServers: servers }));
    const { ending, left, warnings } = await run(
      { usage, turns: [edit, { text: 'Done.' }] },
      { command: { mcpConfigFile: config }, readable: [config], env: { MCP_TIMEOUT: '2000' } },
    );
    expect([ending.outcome.reason, left]).toEqual(['completed', []]);
    expect(warnings.filter((warning) => warning.startsWith('mcp-server'))).not.toEqual([]);
  });
});

describe('a home that cannot be written', () => {
  it.concurrent('is no hindrance', async () => {
    const { ending, file } = await run(
      { usage, turns: [edit, bash('cat b.txt > c.txt'), { text: 'Done.' }] },
      { readOnlyHome: true },
    );
    expect([ending.outcome.reason, file('c.txt')]).toEqual(['completed', 'saved\n']);
  });

  it.concurrent('is no hindrance for a runner that is not root either', async () => {
    if (process.geteuid?.() !== 0) return;
    const folder = mkdtempSync(join(tmpdir(), 'ccd-nobody-'));
    const home = join(folder, 'home');
    mkdirSync(home, { mode: 0o555 });
    chmodSync(folder, 0o777);
    const script = join(import.meta.dirname, 'support', 'run-once.ts');
    const child = await slots(async () =>
      spawnSync(
        '/usr/bin/env',
        [
          'setpriv',
          '--reuid=65534',
          '--regid=65534',
          '--clear-groups',
          process.execPath,
          '--import',
          'tsx',
          script,
        ],
        { encoding: 'utf8', env: { PATH: process.env.PATH, HOME: home, TMPDIR: folder }, timeout: 120_000 },
      ),
    );
    rmSync(folder, { recursive: true });
    expect([child.stdout.trim(), child.stderr]).toEqual(['completed shared closed saved', '']);
  });
});

describe('the version', () => {
  it('is told in the sandbox, and without a model', async () => {
    const program = await installClaude();
    const folder = join(house.root, 'own', 'version');
    mkdirSync(folder);
    const place = {
      folder,
      outputFolder: join(house.root, 'out'),
      env: { PATH: process.env.PATH ?? '', HOME: folder },
      readable: [join(program, '..')],
    };
    expect(await agentVersion(house.sandbox, program, place)).toBe(claudeVersion);
  });
});
