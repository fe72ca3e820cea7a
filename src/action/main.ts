import * as core from '@actions/core';
import { CcdError } from '../domain/errors.ts';
import { createSteadyClock } from '../host/clock.ts';
import { runArtifacts } from './artifacts.ts';
import { runBatchCommand } from './batch.ts';
import { runFactsCommand } from './facts.ts';
import { readJobContext } from './job-context.ts';
import { runWorkCommand } from './work.ts';

/** Where the worker's own log goes: standard error, one JSON text a line, so that nothing in it is a workflow command. */
const writeLog = (line: string): void => {
  process.stderr.write(line);
};

async function work(): Promise<number> {
  const stop = new AbortController();
  // The runner cancels a job by SIGINT, then SIGTERM: the agent is ended before this process is.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort('cancelled'));
  const end = await runWorkCommand(
    {
      attempt: core.getInput('attempt'),
      contractDigest: core.getInput('contract-digest'),
      token: secretInput('token'),
      claude: core.getInput('claude'),
      modelUrl: core.getInput('model-url'),
      modelKey: secretInput('model-key'),
      modelUpstream: core.getInput('model-upstream'),
      machineFolder: core.getInput('machine-folder'),
      breaker: core.getInput('breaker'),
      ephemeral: core.getInput('ephemeral') === 'true',
      agentEnvironment: core.getInput('agent-environment'),
      readable: core.getInput('readable'),
      writable: core.getInput('writable'),
      stopPollSeconds: core.getInput('stop-poll-seconds'),
    },
    { env: jobEnvironment(), artifacts: runArtifacts(), stop: stop.signal, writeLog },
  );
  if (end.kind === 'not-started') core.notice(`This run was not started: ${end.reason}.`);
  else
    core.info(
      `Attempt ended: ${end.report.status}, ${end.report.outcome.class}, ${end.report.outcome.reason}.`,
    );
  return end.exitCode;
}

async function facts(): Promise<number> {
  await runFactsCommand(
    {
      plan: core.getInput('plan'),
      planDigest: core.getInput('plan-digest'),
      try: core.getInput('try'),
      token: secretInput('token'),
      ephemeral: core.getInput('ephemeral') === 'true',
    },
    {
      env: jobEnvironment(),
      tempDir: readJobContext(process.env).tempFolder,
      artifacts: runArtifacts(),
      clock: createSteadyClock(),
      log: (line) => core.info(line),
    },
  );
  return 0;
}

async function batch(): Promise<number> {
  const stop = new AbortController();
  const kill = new AbortController();
  // SIGINT comes first and SIGTERM some seconds later; after that the runner waits no longer.
  process.on('SIGINT', () => stop.abort('cancelled'));
  process.on('SIGTERM', () => {
    if (stop.signal.aborted) kill.abort();
    stop.abort('cancelled');
  });
  const end = await runBatchCommand(
    {
      pipeline: core.getInput('pipeline'),
      phase: core.getInput('phase'),
      workers: core.getInput('workers'),
      maxConcurrent: core.getInput('max-concurrent'),
      budget: core.getInput('budget'),
      runBudget: core.getInput('run-budget'),
      force: core.getInput('force') === 'true',
      claude: core.getInput('claude'),
      modelUrl: core.getInput('model-url'),
      modelKey: secretInput('model-key'),
      modelUpstream: core.getInput('model-upstream'),
      machineFolder: core.getInput('machine-folder'),
      ephemeral: core.getInput('ephemeral') === 'true',
    },
    {
      env: jobEnvironment(),
      cwd: process.cwd(),
      artifacts: runArtifacts(),
      stop: stop.signal,
      killNow: kill.signal,
      writeLog,
    },
  );
  // GitHub shows a step as failed and no more: the code travels as data.
  core.setOutput('exit-code', String(end.exitCode));
  core.setOutput('state', end.state);
  return end.exitCode;
}

/** Reads a secret and takes it out of this process's environment, where children and crash reports could find it. */
function secretInput(name: string): string {
  const value = core.getInput(name);
  // The runner blanks out line by line.
  for (const line of value.split('\n')) if (line.trim() !== '') core.setSecret(line.trim());
  delete process.env[`INPUT_${name.toUpperCase()}`];
  return value;
}

/** A copy without the action's inputs: what is passed on by name must not be able to name one of them. */
function jobEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('INPUT_')));
}

async function main(): Promise<number> {
  const command = core.getInput('command');
  if (command === 'work') return work();
  if (command === 'facts') return facts();
  if (command === 'batch') return batch();
  throw new CcdError({
    code: 'action.input',
    message: 'The input "command" must be "work", "facts" or "batch".',
    remedy: 'Use the workflow files that ccd init adds, unchanged.',
    audience: 'operator',
  });
}

main().then(
  (code) => {
    if (code !== 0) core.setFailed(`ccd ended with ${code}.`);
    process.exitCode = code;
  },
  (fault: unknown) => {
    const message =
      fault instanceof CcdError ? `${fault.message} ${fault.remedy}` : 'An unforeseen fault; see the log.';
    core.setFailed(message);
    if (!(fault instanceof CcdError))
      writeLog(`${JSON.stringify({ fault: fault instanceof Error ? fault.stack : String(fault) })}\n`);
    process.exitCode = fault instanceof CcdError && fault.audience !== 'bug' ? 2 : 70;
  },
);
