import { dirname } from 'node:path';
import { CcdError } from '../../domain/errors.ts';
import type { ChildExit } from '../../host/child.ts';
import type { Clock } from '../../host/clock.ts';
import type { Environment } from '../../host/environment.ts';
import type { NetworkAccess } from '../../host/inner-port.ts';
import { agentKillTimes, type KillTimes } from '../../host/kill.ts';
import type { Sandbox } from '../../host/sandbox.ts';
import { tailBytes } from '../../host/tail.ts';
import { type ClassifiedOutcome, classifyRun, type StopCause } from './outcome.ts';
import type { ProgressEvent } from './progress-event.ts';
import { type StreamNews, StreamReader } from './stream.ts';
import type { StreamSummary } from './stream-summary.ts';
import { agentVersion, isTestedVersion, testedVersions } from './tested-versions.ts';

export interface AgentRun {
  readonly argv: readonly [string, ...string[]];
  readonly prompt: string;
  readonly cwd: string;
  readonly env: Environment;
  readonly stdoutFile: string;
  readonly stderrFile: string;
  readonly writable: readonly string[];
  readonly readable: readonly string[];
  readonly limits: {
    readonly wallClockMs: number;
    readonly silenceMs: number;
    readonly firstEventMs: number;
  };
  /** Aborted with a StopCause as reason when somebody else wants the run to end. */
  readonly stop: AbortSignal;
  /** Called for each line as it arrives; must not throw. */
  readonly onNews: (news: StreamNews) => void;
  /** Called for each step that the stream tells of; must not throw. */
  readonly onProgress?: (event: ProgressEvent) => void;
  readonly killTimes?: KillTimes;
  /** Whether the command line asks for an answer that fits a schema; no unless said. */
  readonly schemaAsked?: boolean;
  /** More output than this ends the run. */
  readonly maxStreamBytes?: number;
  /** True: nothing is started when this worker was not tried with the agent's version. Otherwise that is a warning. */
  readonly testedVersionsOnly?: boolean;
}

export interface AgentEnding {
  readonly outcome: ClassifiedOutcome;
  readonly summary: StreamSummary;
  readonly exit: ChildExit;
  readonly stopped: StopCause | null;
  /** Processes that had outlived the agent and were killed. */
  readonly swept: number;
}

/** Far more than a run of hours says. The agent can make its output file endless without writing it. */
const mostStreamBytes = 1024 ** 3;

/** The CLI takes no longer prompt by standard input (measured: exit code 1, no event). */
const mostPromptBytes = 10 * 1024 * 1024;

/** How long a run may linger after its result before it is ended: its outcome is known by then. */
const graceAfterResultMs = 15_000;

/**
 * Runs the agent once, from start to the last process gone: standard output is a file that is tailed, silence and wall
 * clock are watched, a key that is refused stops it at the first retry, and the kill procedure runs also after a normal end.
 * Throws CcdError, before anything is spent, for a prompt that the CLI would not take and a version that is not to be used.
 */
export async function runAgent(sandbox: Sandbox, run: AgentRun, clock: Clock): Promise<AgentEnding> {
  if (Buffer.byteLength(run.prompt) > mostPromptBytes) throw promptTooLong(run.prompt);
  if (run.testedVersionsOnly === true) await demandTestedVersion(sandbox, run);
  const started = sandbox.start(run.argv, {
    cwd: run.cwd,
    env: run.env,
    stdoutFile: run.stdoutFile,
    stderrFile: run.stderrFile,
    stdin: run.prompt,
    writable: run.writable,
    readable: run.readable,
    network: modelNetwork(run.env),
  });
  const watch = new RunWatch(run, clock);
  const ended = new AbortController();
  const reading = readStream(run, watch, ended.signal, clock);
  await Promise.race([started.exited, watch.wantsEnd]);
  const swept = await started.end(run.killTimes ?? agentKillTimes);
  ended.abort();
  watch.close();
  await reading;
  return ending(run, await started.exited, watch, swept);
}

async function demandTestedVersion(sandbox: Sandbox, run: AgentRun): Promise<void> {
  const { cwd: folder, env, readable, stdoutFile } = run;
  const place = { folder, env, readable, outputFolder: dirname(stdoutFile) };
  const version = await agentVersion(sandbox, run.argv[0], place);
  if (isTestedVersion(version)) return;
  const known = testedVersions.map((one) => one.version).join(', ');
  throw new CcdError({
    code: 'worker.untested-agent',
    message: `The agent says that it is version ${version ?? 'unknown'}; this worker was tried with ${known}.`,
    remedy: 'Install one of these versions, or allow others.',
    audience: 'operator',
  });
}

function promptTooLong(prompt: string): CcdError {
  return new CcdError({
    code: 'worker.prompt-too-long',
    message: `The prompt has ${Buffer.byteLength(prompt)} bytes; the agent takes ${mostPromptBytes}.`,
    remedy: 'Shorten the issue, or what its checks print.',
    audience: 'author',
  });
}

/** The gateway's port, where the model is on loopback; the whole network else: then it is elsewhere. */
function modelNetwork(env: Environment): NetworkAccess {
  const url = new URL(env.ANTHROPIC_BASE_URL ?? 'http://0.0.0.0');
  return url.hostname === '127.0.0.1' ? { port: Number(url.port || 80) } : true;
}

async function readStream(
  run: AgentRun,
  watch: RunWatch,
  writerEnded: AbortSignal,
  clock: Clock,
): Promise<void> {
  const maxBytes = run.maxStreamBytes ?? mostStreamBytes;
  const onTooMuch = () => watch.tooMuch();
  for await (const bytes of tailBytes(run.stdoutFile, { clock, writerEnded, maxBytes, onTooMuch })) {
    watch.reader.push(bytes);
    watch.heard();
  }
  watch.reader.end();
}

function ending(run: AgentRun, exit: ChildExit, watch: RunWatch, swept: number): AgentEnding {
  const { summary } = watch.reader;
  const schemaAsked = run.schemaAsked ?? false;
  const outcome = classifyRun({ exit, summary, stopped: watch.cause, schemaAsked });
  return { outcome, summary, exit, stopped: watch.cause, swept };
}

/** Watches one run's clocks and orders; `wantsEnd` resolves when the run has to be ended. */
class RunWatch {
  readonly reader: StreamReader;
  readonly wantsEnd: Promise<void>;
  cause: StopCause | null = null;
  #end: () => void = () => undefined;
  #refused = false;
  #silence = new AbortController();
  readonly #closed = new AbortController();
  readonly #run: AgentRun;
  readonly #clock: Clock;

  constructor(run: AgentRun, clock: Clock) {
    this.#run = run;
    this.#clock = clock;
    this.reader = new StreamReader({
      onNews: (news) => {
        if (news === 'retry' && this.reader.lastRetryStatus === 401) this.#refused = true;
        run.onNews(news);
      },
      ...(run.onProgress === undefined ? {} : { onProgress: run.onProgress }),
    });
    this.wantsEnd = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#after(run.limits.wallClockMs, 'wall-clock', this.#closed.signal);
    this.#after(run.limits.firstEventMs, 'stalled', this.#silence.signal);
    if (run.stop.aborted) this.#stop(causeOf(run.stop));
    else
      run.stop.addEventListener('abort', () => this.#stop(causeOf(run.stop)), {
        signal: this.#closed.signal,
      });
  }

  /** To be called after each piece of the stream. */
  heard(): void {
    if (this.#closed.signal.aborted) return;
    this.#silence.abort();
    this.#silence = new AbortController();
    if (this.#refused) this.#stop('invalid-api-key');
    else if (this.reader.result !== null) this.#after(graceAfterResultMs, null, this.#silence.signal);
    else this.#after(this.#run.limits.silenceMs, 'stalled', this.#silence.signal);
  }

  tooMuch(): void {
    this.#stop('too-much-output');
  }

  close(): void {
    this.#closed.abort();
    this.#silence.abort();
  }

  #after(ms: number, cause: StopCause | null, cancel: AbortSignal): void {
    void this.#clock.sleep(ms, cancel).then(() => {
      if (!cancel.aborted && !this.#closed.signal.aborted) this.#stop(cause);
    });
  }

  #stop(cause: StopCause | null): void {
    this.cause ??= cause;
    this.#end();
  }
}

function causeOf(signal: AbortSignal): StopCause {
  const reason: unknown = signal.reason;
  const known: readonly StopCause[] = [
    'cancelled',
    'paused',
    'frozen',
    'superseded',
    'max-cost',
    'wall-clock',
  ];
  return known.find((cause) => cause === reason) ?? 'cancelled';
}
