import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CcdError } from '../../domain/errors.ts';

const Owner = z.object({
  pid: z.number().int().positive(),
  /** When the process began, in the system's own count: a pid alone may be somebody else's by now. */
  began: z.string().nullable(),
  key: z.string(),
});

/**
 * Takes a folder for this process alone, by the file `lock` in it; the answer gives it back. The lock of a process that is dead is
 * taken over. Throws `local.data-in-use` while a living one holds it.
 */
export function lockFolder(dir: string): () => void {
  const path = join(dir, 'lock');
  const mine = JSON.stringify({ pid: process.pid, began: beganAt(process.pid), key: randomUUID() });
  for (let tries = 0; tries < 10; tries += 1) {
    if (place(dir, path, mine)) return () => release(path, mine);
    const there = readOrNull(path);
    if (there === null) continue;
    const owner = ownerOf(there);
    if (owner !== null && isAlive(owner)) throw inUse(dir, owner.pid);
    takeAway(dir, path, there);
  }
  throw inUse(dir, null);
}

/** A file with the whole content, or none: a link cannot be half-written and does not replace. */
function place(dir: string, path: string, content: string): boolean {
  const temporary = join(dir, `.lock.${randomUUID()}`);
  try {
    writeFileSync(temporary, content, { mode: 0o600 });
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // The folder is what a person named, not the file in it.
    throw Object.assign(error as Error, { path: dir });
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Moves a dead lock aside; when somebody was quicker and this is a new one, it is put back. */
function takeAway(dir: string, path: string, dead: string): void {
  const aside = join(dir, `.lock.${randomUUID()}`);
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const taken = readFileSync(aside, 'utf8');
  if (taken !== dead) place(dir, path, taken);
  rmSync(aside, { force: true });
}

function release(path: string, mine: string): void {
  if (readOrNull(path) === mine) rmSync(path, { force: true });
}

function ownerOf(text: string): z.infer<typeof Owner> | null {
  try {
    return Owner.parse(JSON.parse(text));
  } catch {
    // Not ours, or cut off by a power failure: nobody holds it.
    return null;
  }
}

function isAlive({ pid, began }: z.infer<typeof Owner>): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return began === null || beganAt(pid) === began;
}

/** Start of a process by /proc, or null where there is none. Field 22; the name before it may hold spaces and brackets. */
function beganAt(pid: number): string | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  return stat === null ? null : (stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null);
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

const inUse = (dir: string, pid: number | null): CcdError =>
  new CcdError({
    code: 'local.data-in-use',
    message: `${dir} is in use by ${pid === null ? 'another local GitHub' : `the local GitHub with process id ${pid}`}.`,
    remedy: 'End that one first, or name another folder with --data.',
    audience: 'operator',
  });
