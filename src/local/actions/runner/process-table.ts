import { readdirSync, readFileSync } from 'node:fs';

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** One letter; `Z` is dead and only waits to be read. */
  readonly state: string;
}

/** A file of `/proc` that may vanish while it is read. */
function readProc(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process ended between listing and reading, or is not ours to look at.
    return null;
  }
}

function readRow(pid: string): ProcessRow | null {
  const stat = readProc(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The name in parentheses may hold anything: fields are counted from the last parenthesis.
  const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid: Number(pid), parent: Number(parent), group: Number(group), state: state ?? '?' };
}

/** All processes that can be seen. Empty where there is no `/proc`. */
export function processTable(): ProcessRow[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(readRow)
    .filter((row): row is ProcessRow => row !== null);
}

/** A process and everything below it, parents first. */
export function descendantsOf(pid: number, table: readonly ProcessRow[] = processTable()): number[] {
  const children = table.filter((row) => row.parent === pid && row.state !== 'Z').map((row) => row.pid);
  return children.flatMap((child) => [child, ...descendantsOf(child, table)]);
}

/** Living processes whose environment holds `NAME=value`, whoever their parent is by now. */
export function processesMarked(marker: string): number[] {
  return processTable()
    .filter((row) => row.state !== 'Z' && row.pid !== process.pid)
    .filter((row) => (readProc(`/proc/${row.pid}/environ`) ?? '').split('\0').includes(marker))
    .map((row) => row.pid);
}

/** Sends a signal; a process that has gone in the meantime is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Kills everything that carries the marker, again and again until a look finds nothing. Resolves to how many it hit. */
export async function sweepMarked(marker: string): Promise<number> {
  let hit = 0;
  for (let look = 0; look < 200; look += 1) {
    const left = processesMarked(marker);
    if (left.length === 0) return hit;
    if (look === 0) hit = left.length;
    for (const pid of left) signalProcess(pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return hit;
}
