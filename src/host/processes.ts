import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** One letter of proc(5): `Z` is a zombie, which is dead already. */
  readonly state: string;
}

/** All processes that /proc shows; empty where there is no /proc. */
export function listProcesses(): ProcessEntry[] {
  return pids().flatMap((pid) => {
    const entry = readProcess(pid);
    return entry === null ? [] : [entry];
  });
}

/** Live processes whose environment at start held `name=value`, this process left out. */
export function findMarked(name: string, value: string): number[] {
  const wanted = Buffer.from(`${name}=${value}`);
  return pids().filter((pid) => pid !== process.pid && isMarked(pid, wanted) && isAlive(pid));
}

function pids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number);
  } catch {
    return [];
  }
}

function isMarked(pid: number, wanted: Buffer): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`);
    const at = environment.indexOf(wanted);
    return at >= 0 && (at === 0 || environment[at - 1] === 0) && isEnd(environment[at + wanted.length]);
  } catch {
    // Gone meanwhile, or another user's.
    return false;
  }
}

const isEnd = (byte: number | undefined): boolean => byte === undefined || byte === 0;

function isAlive(pid: number): boolean {
  const entry = readProcess(pid);
  return entry !== null && entry.state !== 'Z';
}

function readProcess(pid: number): ProcessEntry | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const close = text.lastIndexOf(')');
    const [state, parent] = text.slice(close + 2).split(' ');
    return {
      pid,
      parent: Number(parent),
      name: text.slice(text.indexOf('(') + 1, close),
      state: state ?? '?',
    };
  } catch {
    return null;
  }
}
