import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExitCode } from './command.ts';
import { startedFor } from './demo/leftovers.ts';

/** A folder that a command works in and that never outlives it, and the promise that no process in it does. */
export interface Throwaway {
  readonly dir: string;
  /** From now on a signal does not end the command: it resolves the promise, once. */
  nextSignal(): Promise<void>;
  /** Removes the folder; signals and temporary files are as before. */
  remove(): void;
}

const endings: Readonly<Partial<Record<NodeJS.Signals, ExitCode>>> = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
};

/**
 * Makes a throw-away folder. It also becomes the place of temporary files of this process and of all that it starts. A signal ends the
 * command in whatever phase it is: everything it started is killed, the folder removed, `onEnd` told, and the process exits
 * with 128 + the number of the signal.
 */
export function openThrowaway(prefix: string, host: NodeJS.Process, onEnd: () => void): Throwaway {
  const dir = mkdtempSync(join(tmpdir(), prefix));
  const before = host.env.TMPDIR;
  host.env.TMPDIR = dir;
  const handlers: [string, () => void][] = [];
  let waiting: (() => void) | null = null;
  for (const [signal, exit] of Object.entries(endings)) {
    const end = () => {
      if (waiting !== null) {
        const told = waiting;
        waiting = null;
        told();
        return;
      }
      // Nothing below gives way to other work of this process: what is killed is not started again.
      killAll(dir);
      removeFolder(dir);
      onEnd();
      host.exit(exit);
    };
    handlers.push([signal, end]);
    host.on(signal, end);
  }
  return {
    dir,
    nextSignal: () =>
      new Promise((resolve) => {
        waiting = resolve;
      }),
    remove: () => {
      for (const [signal, end] of handlers) host.off(signal, end);
      if (before === undefined) delete host.env.TMPDIR;
      else host.env.TMPDIR = before;
      removeFolder(dir);
    },
  };
}

/** Kills what was started for the folder until a look finds nothing. Does not give way to the event loop. */
function killAll(dir: string): void {
  for (let look = 0; look < 200; look += 1) {
    const left = startedFor(dir);
    if (left.length === 0) return;
    for (const pid of left) kill(pid);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // Gone already, which is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function removeFolder(dir: string): void {
  rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}
