import { dirname, join } from 'node:path';
import { z } from 'zod';
import { attemptIdSchema } from '../domain/attempt.ts';
import { digestSchema } from '../domain/digest.ts';
import { CcdError } from '../domain/errors.ts';
import { createGitHubClient } from '../github/client.ts';
import { type Clock, createSteadyClock } from '../host/clock.ts';
import type { Environment } from '../host/environment.ts';
import { randomIds } from '../host/ids.ts';
import { createLog } from '../host/log.ts';
import { createRedactor, type Redactor } from '../host/redact.ts';
import type { ArtifactStore } from '../worker/artifact-store.ts';
import { type AttemptEnd, runAttempt } from '../worker/attempt.ts';
import { type BreakerLimits, breakerLimitsSchema, defaultBreakerLimits } from '../worker/breaker.ts';
import type { KeySource } from '../worker/gateway/key-source.ts';
import { openModelAccess } from '../worker/gateway/model-access.ts';
import type { Upstream } from '../worker/gateway/upstream.ts';
import { anthropic, readUpstream } from '../worker/gateway/upstream-config.ts';
import { defaultTimes, type WorkerJob, type WorkerTools } from '../worker/worker-job.ts';
import { findProgram } from './find-program.ts';
import { type JobContext, readJobContext } from './job-context.ts';

/** Inputs of the action for `command: work`, as texts; empty where the workflow gives none. */
export interface WorkInputs {
  readonly attempt: string;
  readonly contractDigest: string;
  readonly token: string;
  readonly claude: string;
  readonly modelUrl: string;
  /** One key a line: each is a slot. */
  readonly modelKey: string;
  /** What is behind the gateway, as JSON; empty: the Messages API at `modelUrl`. */
  readonly modelUpstream?: string;
  /** Shared by all workers of the machine; empty: below the runner's tool cache. */
  readonly machineFolder?: string;
  /** Failures in a row, retries, empty answers in a row, as `5/20/3`; empty: these. */
  readonly breaker?: string;
  readonly ephemeral: boolean;
  /** Names of variables of the job that the agent may see, separated by commas, blanks or line ends. */
  readonly agentEnvironment: string;
  /** Folders that the agent may read besides the system's own, one a line. */
  readonly readable: string;
  /** Folders that the agent may write besides its own, one a line: what is shared there is shared between attempts. */
  readonly writable: string;
  /** Seconds between two looks at the state branch while the agent works. */
  readonly stopPollSeconds: string;
}

export interface WorkIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly artifacts: ArtifactStore;
  readonly clock?: Clock;
  readonly stop: AbortSignal;
  readonly writeLog: (line: string) => void;
}

const inputSchema = z.object({
  attempt: attemptIdSchema,
  contractDigest: digestSchema,
  token: z.string().min(1),
  claude: z.string().min(1),
  modelUrl: z.url({ protocol: /^https?$/ }),
  stopPollSeconds: z.coerce.number().min(0.1).max(600),
});

/** Body of `command: work`. Throws CcdError `action.input` (operator) for inputs that cannot be used. */
export async function runWorkCommand(inputs: WorkInputs, io: WorkIo): Promise<AttemptEnd> {
  const context = readJobContext(io.env);
  const machineFolder = machineFolderOf(inputs, context, io.env);
  const job = readJob(inputs, context, io.env, machineFolder);
  const { upstream, keys } = readModel(inputs);
  const clock = io.clock ?? createSteadyClock();
  const given = keys.flatMap((key) => (key.kind === 'given' ? secretParts(key.secret) : []));
  const redactor = growingRedactor([inputs.token, io.env.ACTIONS_RUNTIME_TOKEN ?? '', ...given]);
  const log = createLog(io.writeLog, clock.now, redactor.clean);
  const client = createGitHubClient({
    baseUrl: context.apiUrl,
    token: async () => inputs.token,
    clock,
    random: Math.random,
    log: { debug: () => undefined, warn: (message) => log.warn(message) },
    userAgent: 'ccd-worker',
    writeGapMs: 1000,
  });
  const model = await openModelAccess({
    upstream,
    keys,
    machineFolder,
    environment: io.env,
    clock,
    random: Math.random,
    warn: (message) => log.warn(message),
    onSecret: (secret) => redactor.add(secretParts(secret)),
  });
  const tools: WorkerTools = {
    client,
    artifacts: io.artifacts,
    clock,
    ids: randomIds,
    random: Math.random,
    redactor,
    log,
    model,
    stop: io.stop,
  };
  try {
    return await runAttempt(job, tools);
  } finally {
    await model.close();
  }
}

/** Throws CcdError `worker.upstream` (operator). */
function readModel(inputs: WorkInputs): { upstream: Upstream; keys: readonly KeySource[] } {
  const given = lines(inputs.modelKey).map((secret): KeySource => ({ kind: 'given', secret }));
  const text = inputs.modelUpstream?.trim() ?? '';
  if (text === '') return { upstream: anthropic(new URL(inputs.modelUrl)), keys: given };
  const { upstream, keys } = readUpstream(text);
  return { upstream, keys: keys ?? given };
}

/** Of a key that consists of several, each of them is a secret, too. */
function secretParts(secret: string): string[] {
  return [secret, ...secret.split(/[\s:"{},]+/).filter((part) => part.length >= 16)];
}

/** A redactor that learns keys that are fetched while the work goes on. */
function growingRedactor(start: readonly string[]): Redactor & { add(secrets: readonly string[]): void } {
  const secrets = new Set(start);
  let current = createRedactor([...secrets]);
  return {
    clean: (text) => current.clean(text),
    matches: (content) => current.matches(content),
    add: (more) => {
      for (const one of more) secrets.add(one);
      current = createRedactor([...secrets]);
    },
  };
}

function machineFolderOf(
  inputs: WorkInputs,
  context: JobContext,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const chosen = inputs.machineFolder?.trim() ?? '';
  if (chosen !== '') return chosen;
  const tools = env.RUNNER_TOOL_CACHE ?? '';
  return join(tools === '' ? dirname(context.tempFolder) : tools, '_ccd-machine');
}

function readBreaker(text: string): BreakerLimits | null {
  if (text.trim() === '') return defaultBreakerLimits;
  const numbers = text.split('/').map((part) => Number(part.trim() || Number.NaN));
  const [consecutiveFailures, totalRetries, consecutiveEmpty] = numbers;
  const parsed = breakerLimitsSchema.safeParse({ consecutiveFailures, totalRetries, consecutiveEmpty });
  return parsed.success && numbers.length === 3 ? parsed.data : null;
}

function readJob(
  inputs: WorkInputs,
  context: JobContext,
  env: Readonly<Record<string, string | undefined>>,
  machineFolder: string,
): WorkerJob {
  const parsed = inputSchema.safeParse(inputs);
  if (!parsed.success) throw badInput(parsed.error.issues.map((issue) => issue.path.join('.')));
  const breaker = readBreaker(inputs.breaker ?? '');
  if (breaker === null) throw badInput(['breaker (three whole numbers from 1, as 5/20/3)']);
  return {
    attempt: parsed.data.attempt,
    contractDigest: parsed.data.contractDigest,
    repo: context.repo,
    runId: context.runId,
    runAttempt: context.runAttempt,
    remoteUrl: context.remoteUrl,
    token: inputs.token,
    findProgram: () => findProgram(inputs.claude, env.PATH ?? ''),
    modelUrl: new URL(inputs.modelUrl),
    modelKey: inputs.modelKey === '' ? null : inputs.modelKey,
    ephemeral: inputs.ephemeral,
    tempFolder: context.tempFolder,
    keepFolder: keepFolder(context),
    environment: env,
    agentEnvironment: chosenVariables(inputs.agentEnvironment, env),
    readable: lines(inputs.readable),
    writable: lines(inputs.writable),
    hidden: [...runnerPlaces(context, env), machineFolder],
    breaker,
    times: { ...defaultTimes, stopPollMs: parsed.data.stopPollSeconds * 1000 },
  };
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Never let through, whatever the operator names: what proves who the job is, and what steers programs before they begin. */
const neverPassed =
  /TOKEN|SECRET|PASSWORD|CREDENTIAL|^ACTIONS_|^INPUT_|^GITHUB_|^ANTHROPIC_|_KEY$|^(?:LD|DYLD)_|^PERL5|^BASH_ENV$/i;

function chosenVariables(names: string, env: Readonly<Record<string, string | undefined>>): Environment {
  const chosen: Record<string, string> = {};
  for (const name of names.split(/[\s,]+/).filter((part) => part !== '')) {
    const value = env[name];
    if (neverPassed.test(name)) throw badInput([`agent-environment (${name.slice(0, 100)})`]);
    if (value !== undefined) chosen[name] = value;
  }
  return chosen;
}

/** The runner's temporary folder and command files: what is written there steers later steps. */
function runnerPlaces(context: JobContext, env: Readonly<Record<string, string | undefined>>): string[] {
  const files = [env.GITHUB_ENV, env.GITHUB_OUTPUT, env.GITHUB_PATH, env.GITHUB_STATE, env.GITHUB_EVENT_PATH];
  const folders = files.flatMap((file) => (file === undefined || file === '' ? [] : [dirname(file)]));
  return [...new Set([context.tempFolder, keepFolder(context), ...folders])];
}

/** Beside the temporary folder, which a runner empties before and after each job. */
function keepFolder(context: JobContext): string {
  return join(dirname(context.tempFolder), '_ccd-kept');
}

function badInput(names: readonly string[]): CcdError {
  return new CcdError({
    code: 'action.input',
    message: `Inputs of the action cannot be used: ${names.join(', ')}.`,
    remedy: 'Use the workflow file that ccd init adds, unchanged; it is started by the app, not by hand.',
    audience: 'operator',
  });
}
