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
  return processIds()
    .map(readRow)
    .filter((row): row is ProcessRow => row !== null);
}

/** The newest first, as long as ids do not begin anew. */
function processIds(): string[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .sort((a, b) => Number(b) - Number(a));
  } catch {
    return [];
  }
}

/** A process and everything below it, parents first. */
export function descendantsOf(pid: number, table: readonly ProcessRow[] = processTable()): number[] {
  const children = new Map<number, number[]>();
  for (const row of table) {
    if (row.state === 'Z') continue;
    const siblings = children.get(row.parent);
    if (siblings) siblings.push(row.pid);
    else children.set(row.parent, [row.pid]);
  }
  const found = new Set(children.get(pid));
  for (const child of found) for (const grandchild of children.get(child) ?? []) found.add(grandchild);
  return [...found];
}

/** Living processes whose environment holds `NAME=value`, whoever their parent is by now. */
export function processesMarked(marker: string): number[] {
  return rowsMarked(marker).map((row) => row.pid);
}

/** Each is looked at as soon as it is listed, the newest first: what starts another and ends is gone in a moment. */
function rowsMarked(marker: string): ProcessRow[] {
  return processIds().flatMap((pid) => {
    const isMarked = (readProc(`/proc/${pid}/environ`) ?? '').split('\0').includes(marker);
    const row = isMarked && Number(pid) !== process.pid ? readRow(pid) : null;
    return row === null || row.state === 'Z' ? [] : [row];
  });
}

/** Sends a signal; a process that has gone in the meantime is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Looks in which processes are only stopped; one that sleeps where no signal reaches it must not keep the others alive. */
const FREEZING = 50;

/**
 * Kills everything that carries the marker, until so many looks in a row find nothing: one that starts another and ends can slip
 * through a single one. What still moves is stopped first: one that starts others would have started the next while the first is
 * killed. Resolves to how many it hit.
 */
export async function sweepMarked(marker: string, looks = 1): Promise<number> {
  let hit = 0;
  let found = 0;
  for (let look = 0; look < 200 && look - found < looks; look += 1) {
    const left = rowsMarked(marker);
    if (left.length > 0) found = look + 1;
    hit = Math.max(hit, left.length);
    const moving = left.filter((row) => row.state !== 'T');
    if (moving.length > 0 && look < FREEZING) for (const { pid } of moving) signalProcess(pid, 'SIGSTOP');
    else for (const { pid } of left) signalProcess(pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, moving.length > 0 ? 1 : 5));
  }
  return hit;
}
