import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../src/host/clock.ts';
import { createSandbox, type Sandbox } from '../../../../src/host/sandbox.ts';
import { agentEnvironment } from '../../../../src/worker/claude/agent-environment.ts';
import { agentArgv } from '../../../../src/worker/claude/argv.ts';
import { type AgentRun, runAgent } from '../../../../src/worker/claude/process.ts';
import { StreamReader } from '../../../../src/worker/claude/stream.ts';
import { testedVersions } from '../../../../src/worker/claude/tested-versions.ts';

const version = testedVersions[0]?.version ?? '';
let root = '';
let sandbox: Sandbox;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'ccd-process-'));
  chmodSync(root, 0o755);
  const own = join(root, 'own');
  mkdirSync(own);
  sandbox = await createSandbox({ minimum: 'pid-namespace', ephemeral: false, ownFolder: own });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
/** A run of a small agent: a shell script with the CLI's habits. */
function runOf(script: string, changes: Partial<AgentRun> = {}): AgentRun & { readonly work: string } {
  count += 1;
  const work = join(root, 'own', `work-${count}`);
  mkdirSync(work);
  const program = join(root, `agent-${count}`);
  writeFileSync(
    program,
    `#!/bin/sh\n[ "$1" = --version ] && { echo '${version} (Claude Code)'; exit; }\n${script}\n`,
  );
  chmodSync(program, 0o755);
  return {
    argv: [program, '-p'],
    prompt: 'do it',
    cwd: work,
    work,
    env: { PATH: process.env.PATH ?? '', HOME: work },
    stdoutFile: join(root, `out-${count}`),
    stderrFile: join(root, `err-${count}`),
    writable: [work],
    readable: [root],
    limits: { wallClockMs: 20_000, silenceMs: 10_000, firstEventMs: 10_000 },
    stop: new AbortController().signal,
    onNews: () => undefined,
    killTimes: { interruptMs: 3000, terminateMs: 1000 },
    ...changes,
  };
}

const result = `echo '{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":1}'`;
const init = (fields = '') =>
  `echo '{"type":"system","subtype":"init","claude_code_version":"${version}"${fields}}'`;

describe('one run of the agent', () => {
  it('gets its prompt by standard input, whatever it begins with', async () => {
    const run = runOf(`cat > prompt; ${result}`, { prompt: '--dangerously \u0000 ✂' });
    expect((await runAgent(sandbox, run, systemClock)).outcome.reason).toBe('completed');
    expect(readFileSync(join(run.work, 'prompt'), 'utf8')).toBe('--dangerously \u0000 ✂');
  });

  it('starts nothing for a prompt that the CLI would not take', async () => {
    const run = runOf('touch started', { prompt: 'x'.repeat(10 * 1024 * 1024 + 1) });
    await expect(runAgent(sandbox, run, systemClock)).rejects.toMatchObject({
      code: 'worker.prompt-too-long',
    });
    expect(existsSync(join(run.work, 'started'))).toBe(false);
  });

  it('starts no untried version where only tried ones are allowed', async () => {
    const run = runOf(`touch started; ${result}`, { testedVersionsOnly: true });
    expect((await runAgent(sandbox, run, systemClock)).outcome.reason).toBe('completed');
    const other = runOf('');
    writeFileSync(other.argv[0], '#!/bin/sh\n[ "$1" = --version ] && echo 9.9.9 && exit\ntouch started\n');
    await expect(
      runAgent(sandbox, { ...other, testedVersionsOnly: true }, systemClock),
    ).rejects.toMatchObject({ code: 'worker.untested-agent', message: expect.stringContaining('9.9.9') });
    expect(existsSync(join(other.work, 'started'))).toBe(false);
  });

  it('is interrupted at the program itself, also below its wrappers, and its last words count', async () => {
    const stop = new AbortController();
    const last = `{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools"}`;
    const run = runOf(`trap 'echo '"'"'${last}'"'"'; exit 0' INT; ${init()}; while :; do sleep 0.05; done`, {
      stop: stop.signal,
      onNews: () => stop.abort('superseded'),
    });
    const ending = await runAgent(sandbox, run, systemClock);
    expect(ending).toMatchObject({
      stopped: 'superseded',
      outcome: { class: 'cancelled', reason: 'superseded' },
    });
    expect(ending.summary.result?.terminal_reason).toBe('aborted_tools');
  });

  it.each([
    ['says nothing at first', 'exec sleep 60', { firstEventMs: 400 }, 'stalled'],
    ['falls silent', `${init()}; exec sleep 60`, { silenceMs: 400 }, 'stalled'],
    ['goes on for ever', `while :; do ${init()}; sleep 0.1; done`, { wallClockMs: 900 }, 'wall-clock'],
  ])('is ended when it %s', async (_when, script, limits, reason) => {
    const run = runOf(script, { killTimes: { interruptMs: 100, terminateMs: 100 } });
    const ending = await runAgent(sandbox, { ...run, limits: { ...run.limits, ...limits } }, systemClock);
    expect(ending.outcome.reason).toBe(reason);
  });
});

describe('many runs', () => {
  it('leave no process, descriptor, mount, socket or temporary file', async () => {
    const pids = () => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid));
    const environmentOf = (pid: string) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1');
      } catch {
        return '';
      }
    };
    const left = () => ({
      processes: pids().filter((pid) => environmentOf(pid).includes(root)).length,
      descriptors: readdirSync('/proc/self/fd').length,
      mounts: readFileSync('/proc/self/mountinfo', 'utf8').includes('ccd-stage'),
    });
    const temporary = () => readdirSync(tmpdir()).filter((name) => name.startsWith('ccd-stage-'));
    const leave = '(setsid sh -c "trap : INT TERM HUP; sleep 600" > /dev/null 2>&1 &)';
    const env = { PATH: process.env.PATH ?? '', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };
    const once = async () => {
      const run = runOf(`${leave}; ${result}`);
      const ending = await runAgent(sandbox, { ...run, env: { ...env, HOME: run.work } }, systemClock);
      expect(ending.outcome.reason).toBe('completed');
    };
    await once();
    const before = left();
    const known = new Set(temporary());
    for (let runs = 0; runs < 20; runs += 1) await once();
    expect(left()).toEqual(before);
    // Other files' sandboxes have theirs meanwhile: what stays is what counts.
    const mine = temporary().filter((name) => !known.has(name));
    await vi.waitFor(() => expect(temporary().filter((name) => mine.includes(name))).toEqual([]), 10_000);
  });
});

describe('the environment of an agent', () => {
  const places = { home: '/h', temporary: '/t', modelUrl: 'http://127.0.0.1:1', modelKey: 'dummy' };

  it('has nothing of a session around it, and no way to another model, whatever is let through by name', () => {
    const nested = {
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_CODE_SSE_PORT: '1',
      CLAUDE_CODE_SESSION_ID: 'x',
      CLAUDE_CODE_OAUTH_TOKEN: 'x',
      CLAUDE_CODE_USE_BEDROCK: '1',
      CLAUDE_CONFIG_DIR: '/elsewhere',
      ANTHROPIC_BASE_URL: 'http://elsewhere',
      ANTHROPIC_AUTH_TOKEN: 'x',
    };
    const env = agentEnvironment({ ...nested, GITHUB_TOKEN: 'x', PATH: '/bin' }, places, {
      ...nested,
      MY_TOOL: 'yes',
    });
    expect(env).toMatchObject({ PATH: '/bin', MY_TOOL: 'yes', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' });
    const names = Object.keys(env);
    for (const name of [...Object.keys(nested), 'GITHUB_TOKEN'].filter(
      (one) => !['ANTHROPIC_BASE_URL', 'CLAUDE_CONFIG_DIR'].includes(one),
    ))
      expect(names).not.toContain(name);
  });

  it('keeps every cache below the home of the attempt', () => {
    const env = agentEnvironment({}, places);
    for (const name of [
      'npm_config_cache',
      'PIP_CACHE_DIR',
      'CARGO_HOME',
      'GOCACHE',
      'GOMODCACHE',
      'XDG_CACHE_HOME',
    ])
      expect(env[name]).toMatch(/^\/h\//);
  });
});

describe('the command line', () => {
  const command = {
    program: '/bin/claude',
    model: 'claude-sonnet-4-5',
    limits: { maxTurns: 40, maxMicroUsd: 5_000_000 },
    allowedTools: ['Read', 'Bash(npm test *)'],
    settingsFile: '/c/settings.json',
    rulesFile: '/c/rules.txt',
    sessionId: '00000000-0000-4000-8000-000000000001',
  };

  it('reads no settings of the repository, names only the servers that it is given, and lets no list swallow what follows', () => {
    const argv = agentArgv({ ...command, mcpConfigFile: '/c/mcp.json' });
    expect(argv).toEqual(
      expect.arrayContaining(['--setting-sources=', '--strict-mcp-config', '--mcp-config=/c/mcp.json']),
    );
    expect(argv).toContain('--allowedTools=Read,Bash(npm test *)');
    expect(argv).not.toContain('--allowedTools');
    expect(agentArgv(command).join(' ')).not.toContain('--mcp-config');
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses %s turns, which the CLI takes for no limit', (maxTurns) => {
    expect(() => agentArgv({ ...command, limits: { ...command.limits, maxTurns } })).toThrow(
      /cannot be started/,
    );
  });
});

describe('what is odd about a run', () => {
  const warningsOf = (...events: readonly object[]) => {
    const told: string[] = [];
    const reader = new StreamReader({
      onProgress: (event) => {
        if (event.type === 'warning') told.push(`${event.warning} ${event.count}`);
      },
    });
    for (const event of events) reader.push(Buffer.from(`${JSON.stringify(event)}\n`));
    reader.end();
    return told;
  };
  const start = (fields: object) => ({
    type: 'system',
    subtype: 'init',
    claude_code_version: version,
    ...fields,
  });

  it('is said of a version that nobody tried, once', () => {
    expect(warningsOf(start({}))).toEqual([]);
    const other = start({ claude_code_version: '9.9.9' });
    expect(warningsOf(other, other)).toEqual(['untested-version 1']);
    expect(warningsOf(start({ claude_code_version: null }))).toEqual(['untested-version 1']);
  });

  it('is said of MCP servers that failed or are still awaited', () => {
    const servers = ['connected', 'failed', 'failed', 'pending'].map((status, index) => ({
      name: `s${index}`,
      status,
    }));
    expect(warningsOf(start({ mcp_servers: servers }))).toEqual([
      'mcp-server-failed 2',
      'mcp-server-pending 1',
    ]);
  });

  it('is said once of a run that calls tools without end', () => {
    const call = (id: number) => ({
      type: 'assistant',
      message: { id: `m${id}`, model: 'claude-sonnet-4-5', content: [{ type: 'tool_use', name: 'Read' }] },
    });
    const calls = Array.from({ length: 450 }, (_, index) => call(index));
    expect(warningsOf(start({}), ...calls.slice(0, 199))).toEqual([]);
    expect(warningsOf(start({}), ...calls)).toEqual(['many-tool-calls 200']);
  });
});
