import { readFileSync, readlinkSync } from 'node:fs';
import { listProcesses, type ProcessEntry } from '../../host/processes.ts';

/**
 * Processes of this machine, other than this one, that work in a folder or were started with its path in their environment or
 * arguments. Reads /proc; elsewhere there is nothing to read and the answer is empty.
 */
export function processesOf(dir: string): number[] {
  return living()
    .filter(
      ({ pid }) =>
        read(() => readlinkSync(`/proc/${pid}/cwd`)).startsWith(dir) ||
        environmentOf(pid).includes(dir) ||
        read(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')).includes(dir),
    )
    .map(({ pid }) => pid);
}

/**
 * Processes that this one started, directly or not, and those that were given the folder in their environment. A person's shell that
 * merely stands in the folder is none.
 */
export function startedFor(dir: string): number[] {
  const all = living();
  const ours = new Set([process.pid]);
  for (let before = 0; before !== ours.size; ) {
    before = ours.size;
    for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid);
  }
  return all.filter(({ pid }) => ours.has(pid) || isGiven(pid, dir)).map(({ pid }) => pid);
}

function isGiven(pid: number, dir: string): boolean {
  return environmentOf(pid)
    .split('\0')
    .some((entry) => entry.includes(dir) && !/^(OLD)?PWD=/.test(entry));
}

/** A process that only waits to be read by its parent is dead. */
function living(): ProcessEntry[] {
  return listProcesses().filter(({ pid, state }) => pid !== process.pid && state !== 'Z');
}

function environmentOf(pid: number): string {
  return read(() => readFileSync(`/proc/${pid}/environ`, 'utf8'));
}

/** A process that ends while it is looked at is no leftover. */
function read(what: () => string): string {
  try {
    return what();
  } catch {
    return '';
  }
}
