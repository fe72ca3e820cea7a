import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { ChildExit } from './child.ts';

/** What unshare(1) of util-linux 2.38 says when its program was killed: it cannot pass that signal on, and ends with 1. */
const lastWords = 'unshare: sigprocmask unblock failed: Invalid argument\n';

/**
 * How the program itself ended, below a wrapper: killed (by the kernel for want of memory, too) is not "ended with 1". A program
 * that fakes these words fakes its own death.
 */
export function programExit(exit: ChildExit, stderrFile: string): ChildExit {
  if (exit.kind !== 'exited' || exit.exitCode !== 1) return exit;
  return endOf(stderrFile, lastWords.length) === lastWords
    ? { kind: 'exited', exitCode: null, signal: 'SIGKILL' }
    : exit;
}

function endOf(path: string, length: number): string {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(length, size));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('latin1');
  } finally {
    closeSync(file);
  }
}
