import type { ChildExit } from '../../host/child.ts';
import type { Clock } from '../../host/clock.ts';
import type { Environment } from '../../host/environment.ts';
import { agentKillTimes, type KillTimes } from '../../host/kill.ts';
import type { Sandbox } from '../../host/sandbox.ts';
import { tailLines } from '../../host/tail.ts';
import { type ClassifiedOutcome, classifyRun, type StopCause } from './outcome.ts';
import { type StreamNews, StreamReader, type StreamSummary } from './stream.ts';

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
  readonly onNews: (news: StreamNews, summary: StreamSummary) => void;
  readonly killTimes?: KillTimes;
  /** More output than this ends the run. */
  readonly maxStreamBytes?: number;
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

/** How long a run may linger after its result before it is ended: its outcome is known by then. */
const graceAfterResultMs = 15_000;

/**
 * Runs the agent once, from start to the last process gone: standard output is a file that is tailed, silence and wall
 * clock are watched, a key that is refused stops it at the first retry, and the kill procedure runs also after a normal end.
 */
export async function runAgent(sandbox: Sandbox, run: AgentRun, clock: Clock): Promise<AgentEnding> {
  const started = sandbox.start(run.argv, {
    cwd: run.cwd,
    env: run.env,
    stdoutFile: run.stdoutFile,
    stderrFile: run.stderrFile,
    stdin: run.prompt,
    writable: run.writable,
    readable: run.readable,
    network: true,
  });
  const watch = new RunWatch(run, clock);
  const ended = new AbortController();
  const reading = readStream(run, watch, ended.signal, clock);
  await Promise.race([started.exited, watch.wantsEnd]);
  const swept = await started.end(run.killTimes ?? agentKillTimes);
  ended.abort();
  watch.close();
  await reading;
  return ending(await started.exited, watch, swept);
}

async function readStream(
  run: AgentRun,
  watch: RunWatch,
  writerEnded: AbortSignal,
  clock: Clock,
): Promise<void> {
  const maxBytes = run.maxStreamBytes ?? mostStreamBytes;
  const onTooMuch = () => watch.tooMuch();
  for await (const line of tailLines(run.stdoutFile, { clock, writerEnded, maxBytes, onTooMuch })) {
    const news = watch.reader.push(line.text, line.cut);
    watch.heard(news);
    run.onNews(news, watch.reader.summary);
  }
}

function ending(exit: ChildExit, watch: RunWatch, swept: number): AgentEnding {
  const { summary } = watch.reader;
  const outcome = classifyRun({ exit, summary, stopped: watch.cause, schemaAsked: false });
  return { outcome, summary, exit, stopped: watch.cause, swept };
}

/** Watches one run's clocks and orders; `wantsEnd` resolves when the run has to be ended. */
class RunWatch {
  readonly reader = new StreamReader();
  readonly wantsEnd: Promise<void>;
  cause: StopCause | null = null;
  #end: () => void = () => undefined;
  #silence = new AbortController();
  readonly #closed = new AbortController();
  readonly #run: AgentRun;
  readonly #clock: Clock;

  constructor(run: AgentRun, clock: Clock) {
    this.#run = run;
    this.#clock = clock;
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

  heard(news: StreamNews): void {
    if (this.#closed.signal.aborted) return;
    this.#silence.abort();
    this.#silence = new AbortController();
    if (news === 'retry' && this.reader.summary.lastRetryStatus === 401) this.#stop('invalid-api-key');
    else if (this.reader.summary.result !== null) this.#after(graceAfterResultMs, null, this.#silence.signal);
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
