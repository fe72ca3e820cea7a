import { lchownSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Far above what machines give out, so that no file, login or service is known under it. */
const preferred = { from: 879_000_000, to: 879_000_999 };
/** Where only few ids exist (a container in a user namespace): the last below 65534, which is nobody. */
const fallback = { from: 64_600, to: 65_500 };

/**
 * A user id, and a group id of the same number, that nobody on this machine has: always the same one, so that what it wrote
 * into a shared folder stays its own. Null when none can be had: this process is not root, or only few ids exist here.
 */
export function unusedUser(): number | null {
  if (process.geteuid?.() !== 0) return null;
  const known = knownIds();
  for (const { from, to } of [preferred, fallback]) {
    if (!isMapped('uid', from, to) || !isMapped('gid', from, to)) continue;
    for (let id = from; id <= to; id += 1) if (!known.has(id)) return id;
  }
  return null;
}

/** Who this process is. */
export function thisUser(): { readonly uid: number; readonly gid: number } {
  return { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
}

function isMapped(kind: 'uid' | 'gid', from: number, to: number): boolean {
  return textOf(`/proc/self/${kind}_map`)
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .some(([inside = Number.NaN, , count = 0]) => from >= inside && to < inside + count);
}

function knownIds(): ReadonlySet<number> {
  const lines = ['/etc/passwd', '/etc/group'].flatMap((path) => textOf(path).split('\n'));
  return new Set(lines.map((line) => Number(line.split(':')[2])));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // A machine without that file: then it names nobody.
    return '';
  }
}

/** Gives a folder and all below it to a user; links themselves, never what they lead to. Nobody else may work in it meanwhile. */
export function giveTo(path: string, user: number): void {
  const stat = lstatSync(path);
  if (stat.uid !== user || stat.gid !== user) {
    lchownSync(path, user, user);
  }
  if (stat.isDirectory()) for (const name of readdirSync(path)) giveTo(join(path, name), user);
}

/** True for a folder that such a user can neither list nor pass through. */
export function isShutTo(user: number, path: string): boolean {
  const stat = lstatSync(path);
  return stat.isDirectory() && stat.uid !== user && (stat.mode & 0o001) === 0;
}

/** True for a folder that such a user can write in. */
export function isOpenTo(user: number, path: string): boolean {
  const stat = lstatSync(path);
  return stat.uid === user || (stat.mode & 0o003) === 0o003;
}
