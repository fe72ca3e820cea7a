import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who holds something in a folder that processes share: a process that can be told from all later ones with its id. */
export interface Owner {
  readonly pid: number;
  /** When it started, in ticks since the machine's start. */
  readonly start: number;
  /** Names what its id is counted in: the machine's start and the namespace of processes. */
  readonly place: string;
}

/** This process. */
export function thisOwner(): Owner {
  return { pid: process.pid, start: startOf(process.pid) ?? 0, place: thisPlace() };
}

/** Part of a file's name: digits, letters, `-` and `_`. */
export function ownerName({ pid, start, place }: Owner): string {
  return `${pid}_${start}_${place}`;
}

export function parseOwner(name: string): Owner | null {
  const parts = /^(\d{1,10})_(\d{1,20})_([a-z0-9-]{1,60})$/.exec(name);
  if (parts === null) return null;
  return { pid: Number(parts[1]), start: Number(parts[2]), place: parts[3] ?? '' };
}

/**
 * Whether the process still runs. `unknown` for one of another place (another container on the same folder, or before the
 * machine was started anew), whose id means nothing here.
 */
export function liveness(owner: Owner): 'alive' | 'dead' | 'unknown' {
  if (owner.place !== thisPlace()) return 'unknown';
  return startOf(owner.pid) === owner.start ? 'alive' : 'dead';
}

let place: string | null = null;

function thisPlace(): string {
  place ??= `${read('/proc/sys/kernel/random/boot_id').slice(0, 8) || 'noboot'}-${namespace()}`;
  return place;
}

function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return hostname()
      .toLowerCase()
      .replace(/[^a-z0-9]/g, '')
      .slice(0, 30);
  }
}

/** Field 22 of proc(5) stat; null when there is no such process, or when it has ended and only waits to be collected. */
function startOf(pid: number): number | null {
  const text = read(`/proc/${pid}/stat`);
  const [state, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(rest[18]);
  return text === '' || state === 'Z' || state === 'X' || !Number.isFinite(ticks) ? null : ticks;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return '';
  }
}
