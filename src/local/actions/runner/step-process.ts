import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { JobNamespace } from './job-namespace.ts';
import { LineReader } from './line-reader.ts';
import { descendantsOf, processTable, signalProcess } from './process-table.ts';

/** Milliseconds between the signals of a stop. GitHub: 7,500 after SIGINT, 2,500 after SIGTERM. */
export interface StopTimes {
  readonly afterInterrupt: number;
  readonly afterTerminate: number;
  /** How long a step's output is still read after its process ended, when something else holds it open. */
  readonly outputGrace: number;
}

interface StepCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

interface StepProcess {
  /** Exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  /** SIGINT, then SIGTERM, then SIGKILL for all that is left of it. `now` goes straight to SIGKILL. */
  readonly stop: (now: boolean) => void;
}

/** Calls back for each line of a stream, the last one included even without a line end. */
function readLines(stream: Readable, onLine: (line: string) => void): void {
  const reader = new LineReader(onLine);
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => reader.take(chunk));
  stream.on('close', () => reader.close());
}

/** The process that the step itself is: the child of the one that entered the namespace, or the one we started. */
function entryOf(pid: number, entered: boolean): number {
  if (!entered) return pid;
  return processTable().find((row) => row.parent === pid && row.state !== 'Z')?.pid ?? pid;
}

const wait = (milliseconds: number): { readonly done: Promise<void>; readonly end: () => void } => {
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    end = () => {
      clearTimeout(timer);
      resolve();
    };
  });
  return { done, end };
};

/** Starts a step's command inside the job's namespace, as a process group of its own. */
export function startStepProcess(
  command: StepCommand,
  namespace: JobNamespace,
  times: StopTimes,
  onLine: (line: string) => void,
): StepProcess {
  const [file, ...args] = namespace.wrap(command.argv, command.cwd);
  const child = spawn(file!, args, {
    cwd: command.cwd,
    env: command.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  readLines(child.stdout, onLine);
  readLines(child.stderr, onLine);
  let over = false;
  const exited = once(child, 'exit').then(
    ([code]) => code as number | null,
    (error: Error) => {
      onLine(`##[error]${error.message}`);
      return 127;
    },
  );
  const closed = once(child, 'close').catch(() => undefined);
  const ended = exited.then(async (code) => {
    const grace = wait(times.outputGrace);
    await Promise.race([closed, grace.done]);
    grace.end();
    over = true;
    child.stdout.destroy();
    child.stderr.destroy();
    return code;
  });
  return { ended, stop: (now) => void stopLadder(child.pid, namespace, times, now, ended, () => over) };
}

async function stopLadder(
  pid: number | undefined,
  namespace: JobNamespace,
  times: StopTimes,
  now: boolean,
  ended: Promise<unknown>,
  isOver: () => boolean,
): Promise<void> {
  if (pid === undefined || isOver()) return;
  const entered = namespace.kind === 'pid-namespace';
  const ladder: readonly [NodeJS.Signals, number][] = [
    ['SIGINT', times.afterInterrupt],
    ['SIGTERM', times.afterTerminate],
  ];
  for (const [signal, patience] of now ? [] : ladder) {
    signalProcess(entryOf(pid, entered), signal);
    const pause = wait(patience);
    await Promise.race([ended, pause.done]);
    pause.end();
    if (isOver()) return;
  }
  for (const each of [...descendantsOf(pid).reverse(), pid]) signalProcess(each, 'SIGKILL');
}
