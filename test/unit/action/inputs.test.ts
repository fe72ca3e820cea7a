import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProgram } from '../../../src/action/find-program.ts';
import { readJobContext } from '../../../src/action/job-context.ts';
import { runWorkCommand, type WorkInputs } from '../../../src/action/work.ts';

let folder = '';
beforeEach(() => {
  folder = join(realpathSync(mkdtempSync(join(tmpdir(), 'ccd-action-'))), 'temp');
  mkdirSync(folder);
});
afterEach(() => rmSync(dirname(folder), { recursive: true, force: true }));

const context = () => ({
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_API_URL: 'https://api.github.com',
  GITHUB_REPOSITORY: 'ada/demo',
  GITHUB_RUN_ID: '17',
  GITHUB_RUN_ATTEMPT: '2',
  RUNNER_TEMP: folder,
});

describe('the context of a job', () => {
  it('is read from the variables that GitHub sets', () => {
    expect(readJobContext(context())).toEqual({
      repo: { owner: 'ada', name: 'demo' },
      remoteUrl: 'https://github.com/ada/demo.git',
      apiUrl: 'https://api.github.com',
      runId: 17,
      runAttempt: 2,
      tempFolder: folder,
    });
  });

  it('is refused outside of a job, with the missing names', () => {
    expect(() => readJobContext({})).toThrow(
      expect.objectContaining({ code: 'action.no-job', audience: 'operator' }),
    );
    expect(() => readJobContext({ ...context(), GITHUB_RUN_ID: 'x' })).toThrow(/GITHUB_RUN_ID/);
  });
});

describe('finding the agent', () => {
  const program = () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'real-agent'), '#!/bin/sh\n');
    chmodSync(join(bin, 'real-agent'), 0o755);
    symlinkSync('real-agent', join(bin, 'agent'));
    writeFileSync(join(bin, 'plain'), 'x');
    return bin;
  };

  it('looks on the path, follows links, and wants an executable file', () => {
    const bin = program();
    expect(findProgram('agent', `/nowhere:${bin}`)).toBe(join(bin, 'real-agent'));
    expect(findProgram(join(bin, 'agent'), '')).toBe(join(bin, 'real-agent'));
    for (const [name, path] of [
      ['plain', bin],
      ['missing', bin],
      [bin, ''],
    ] as const) {
      expect(() => findProgram(name, path)).toThrow(
        expect.objectContaining({ code: 'worker.agent-missing' }),
      );
    }
  });

  it('never takes one from a relative part of the path', () => {
    program();
    expect(() => findProgram('agent', 'bin:.:')).toThrow();
  });
});

describe('inputs of the worker', () => {
  const inputs: WorkInputs = {
    attempt: '1.1',
    contractDigest: `sha256:${'a'.repeat(64)}`,
    token: 'token',
    claude: '/bin/sh',
    modelUrl: 'https://api.anthropic.com',
    modelKey: '',
    ephemeral: false,
    agentEnvironment: '',
    readable: '',
    writable: '',
    stopPollSeconds: '5',
  };
  const run = (change: Partial<WorkInputs>) =>
    runWorkCommand(
      { ...inputs, ...change },
      {
        env: { ...context(), PATH: '/bin', MY_TOKEN: 'x', JAVA_HOME: '/j' },
        artifacts: { upload: async () => undefined },
        stop: new AbortController().signal,
        writeLog: () => undefined,
      },
    );

  it.each([
    ['attempt', { attempt: '1.0' }],
    ['contractDigest', { contractDigest: 'sha256:abc' }],
    ['token', { token: '' }],
    ['modelUrl', { modelUrl: 'file:///etc/passwd' }],
    ['stopPollSeconds', { stopPollSeconds: 'often' }],
    ['breaker', { breaker: '0/20/3' }],
    ['breaker', { breaker: '5/-1/3' }],
    ['breaker', { breaker: '5/20' }],
    ['breaker', { breaker: '5/20/3/1' }],
    ['breaker', { breaker: 'off' }],
    ['GITHUB_TOKEN', { agentEnvironment: 'JAVA_HOME, GITHUB_TOKEN' }],
    ['MY_TOKEN', { agentEnvironment: 'MY_TOKEN' }],
    ['ACTIONS_RUNTIME_URL', { agentEnvironment: 'ACTIONS_RUNTIME_URL' }],
    ['LD_PRELOAD', { agentEnvironment: 'LD_PRELOAD' }],
  ])('that cannot be used are refused by name: %s', async (name, change) => {
    await expect(run(change)).rejects.toMatchObject({
      code: 'action.input',
      audience: 'operator',
      message: expect.stringContaining(name),
    });
  });

  it('of the model that cannot be used are refused, and no value is repeated', async () => {
    const modelUpstream = '{"kind":"bedrock","region":"x/../y","auth":"sk-canary"}';
    await expect(run({ modelUpstream })).rejects.toMatchObject({
      code: 'worker.upstream',
      message: expect.not.stringContaining('canary'),
    });
  });

  it('of the machine name a folder; without one it lies below what the runner keeps', async () => {
    await run({ machineFolder: join(folder, 'shared', 'by-all') });
    await run({});
    expect(readdirSync(folder).sort()).toEqual(['shared']);
    expect(readdirSync(dirname(folder)).sort()).toEqual(['_ccd-machine', 'temp']);
  });

  it('of a run that was started again end it before anything is asked for', async () => {
    expect(await run({ agentEnvironment: 'JAVA_HOME' })).toEqual({
      kind: 'not-started',
      reason: 'run-again',
      exitCode: 1,
    });
  });
});
