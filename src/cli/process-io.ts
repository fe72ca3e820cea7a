import { writeSync } from 'node:fs';
import type { CliIo } from './command.ts';

/** The real process as the commands see it. Output is written at once, so that an exit loses nothing. */
export function processIo(host: NodeJS.Process): CliIo {
  return {
    stdout: (text) => writeAll(1, text),
    stderr: (text) => writeIfPossible(2, text),
    env: host.env,
    cwd: host.cwd(),
    isTty: host.stderr.isTTY === true,
    setExit: (code) => {
      host.exitCode = code;
    },
  };
}

/** Progress and warnings that nobody can be told are no reason to end a command. */
function writeIfPossible(descriptor: number, text: string): void {
  try {
    writeAll(descriptor, text);
  } catch {
    // A full disk or a closed descriptor: the exit code still tells.
  }
}

/** A reader that went away ends the output, not the command; a full pipe is waited for. */
function writeAll(descriptor: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EPIPE') return;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
