import { type Child, markerName } from './child.ts';
import type { Clock } from './clock.ts';
import { findMarked, listProcesses } from './processes.ts';

export interface KillTimes {
  /** How long the program may take after SIGINT to write its last words. */
  readonly interruptMs: number;
  readonly terminateMs: number;
}

/** Measured on the real CLI: a result after SIGINT takes up to some seconds. */
export const agentKillTimes: KillTimes = { interruptMs: 10_000, terminateMs: 5_000 };
/** For programs whose last words nobody needs. */
export const instantKill: KillTimes = { interruptMs: 0, terminateMs: 0 };

/** Programs that only wrap the real one: signals go past them. */
const wrappers = new Set(['unshare', 'bwrap']);

/**
 * Process id of the program itself below its wrappers, as this process sees it. Signals to the wrapper or to the group
 * do not reach what the program started in sessions of its own; an interrupt to the program does.
 */
export function programPid(pid: number): number {
  const all = listProcesses();
  let current = pid;
  for (let depth = 0; depth < 8; depth += 1) {
    const name = all.find((entry) => entry.pid === current)?.name;
    if (name === undefined || !wrappers.has(name)) return current;
    const below = all.find((entry) => entry.parent === current);
    if (below === undefined) return current;
    current = below.pid;
  }
  return current;
}

/**
 * Ends a child for good: SIGINT to the program's own process id, a wait, SIGTERM, a wait, SIGKILL to program, wrapper and
 * group, then the sweep. Returns how many processes the sweep had to end. Safe to call after a normal end.
 */
export async function endChild(child: Child, times: KillTimes, clock: Clock): Promise<number> {
  if (child.pid !== null && !(await hasEnded(child, 0, clock)))
    await stopRunning(child, child.pid, times, clock);
  await child.exited;
  return sweep(child.marker, clock);
}

async function stopRunning(child: Child, pid: number, times: KillTimes, clock: Clock): Promise<void> {
  const program = programPid(pid);
  if (await signalAndWait(child, program, 'SIGINT', times.interruptMs, clock)) return;
  if (await signalAndWait(child, program, 'SIGTERM', times.terminateMs, clock)) return;
  send(program, 'SIGKILL');
  send(pid, 'SIGKILL');
  // Still ours: the leader has not been waited for, so its number cannot have been given to another group.
  send(-pid, 'SIGKILL');
}

/**
 * Kills every process that carries the marker, again and again until none is left: double-forked children in sessions of
 * their own survive everything else. Returns how many were found.
 */
export async function sweep(marker: string, clock: Clock): Promise<number> {
  const seen = new Set<number>();
  for (let round = 0; round < 200; round += 1) {
    const left = findMarked(markerName, marker);
    if (left.length === 0) return seen.size;
    for (const pid of left) {
      seen.add(pid);
      send(pid, 'SIGKILL');
    }
    await clock.sleep(Math.min(10 + round, 50));
  }
  return seen.size;
}

async function signalAndWait(
  child: Child,
  pid: number,
  signal: NodeJS.Signals,
  ms: number,
  clock: Clock,
): Promise<boolean> {
  if (ms <= 0) return false;
  send(pid, signal);
  return hasEnded(child, ms, clock);
}

async function hasEnded(child: Child, ms: number, clock: Clock): Promise<boolean> {
  const stop = new AbortController();
  const ended = child.exited.then(() => true);
  const late = clock.sleep(ms, stop.signal).then(() => false);
  const result = await Promise.race([ended, late]);
  stop.abort();
  return result;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    // Gone already, or a process group that never was ours to signal: both mean nothing is left to end here.
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
