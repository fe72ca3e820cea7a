import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from './child.ts';
import { giveTo, thisUser } from './child-user.ts';
import type { Clock } from './clock.ts';
import type { Ids } from './ids.ts';
import { type Isolator, isolatedArgv } from './isolation.ts';
import { endChild, instantKill } from './kill.ts';
import { shellQuote } from './shell-quote.ts';

const probeMs = 10_000;

/**
 * True when the isolator works here and closes what it claims: the parent's process is not to be seen, a file outside the
 * writable folder cannot be written (but at `pid-namespace`), a file inside can, the network is another one where it says so.
 */
export async function probeIsolator(
  isolator: Isolator,
  clock: Clock,
  ids: Ids,
  user: number | null = null,
): Promise<boolean> {
  if (isolator.level === 'none') return true;
  const folder = mkdtempSync(join(tmpdir(), 'ccd-probe-'));
  try {
    return await probeIn(folder, isolator, clock, ids, user);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function probeIn(
  folder: string,
  isolator: Isolator,
  clock: Clock,
  ids: Ids,
  user: number | null,
): Promise<boolean> {
  const inside = join(folder, 'inside');
  const outside = join(folder, 'outside');
  const stage = join(folder, 'stage');
  for (const path of [inside, stage]) mkdirSync(path);
  writeFileSync(outside, 'untouched');
  if (user !== null) giveTo(inside, user);
  const plan = {
    stage,
    writable: [inside],
    hidden: [],
    readable: [],
    network: false,
    user,
    caller: thisUser(),
  };
  const argv = isolatedArgv(
    isolator,
    ['/bin/sh', '-c', question(isolator, inside, outside, user)],
    plan,
    inside,
  );
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
  const files = { stdoutFile: join(folder, 'stdout'), stderrFile: join(folder, 'stderr') };
  const child = startChild(argv, { cwd: inside, env, ...files, marker: ids.marker() });
  const stop = new AbortController();
  await Promise.race([child.exited, clock.sleep(probeMs, stop.signal)]);
  stop.abort();
  await endChild(child, instantKill, clock);
  const exit = await child.exited;
  if (exit.kind === 'not-started' || exit.exitCode !== 0) return false;
  return readFileSync(join(inside, 'answer'), 'utf8').trim() === 'ok' && untouched(isolator, outside);
}

/**
 * `/proc/1` is the program itself, or its wrapper, in a process namespace of its own. Another network namespace has another
 * name, and a user of its own another number.
 */
function question(isolator: Isolator, inside: string, outside: string, user: number | null): string {
  const network = shellQuote(readlinkSync('/proc/self/ns/net'));
  return [
    `echo changed 2>/dev/null >> ${shellQuote(outside)}`,
    `[ "$(cat /proc/1/comm)" = sh ] || [ "$(cat /proc/1/comm)" = bwrap ] || exit 3`,
    ...(isolator.closesNetwork ? [`[ "$(readlink /proc/self/ns/net)" != ${network} ] || exit 4`] : []),
    ...(isolator.name === 'own-user' ? [`[ "$(id -u)" = ${user} ] || exit 5`] : []),
    `echo ok > ${shellQuote(join(inside, 'answer'))}`,
  ].join('; ');
}

function untouched(isolator: Isolator, outside: string): boolean {
  const filesOpen = isolator.level !== 'sandbox' && isolator.name === 'pid-namespace';
  return filesOpen || readFileSync(outside, 'utf8') === 'untouched';
}
