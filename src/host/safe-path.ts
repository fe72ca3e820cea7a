import { realpathSync } from 'node:fs';
import type { Environment } from './environment.ts';
import { isWithin } from './named-places.ts';

type Words = readonly [string, ...string[]];

/**
 * The place is put together by programs of the machine, on a root runner as root: they are never looked for in the folder that
 * a run starts in, nor in one that an agent has written to. The program itself gets its search path as it was.
 */
export function withSafePath(
  argv: Words,
  run: { readonly env: Environment; readonly writable: readonly string[] },
): { readonly env: Environment; readonly words: Words } {
  const path = run.env.PATH;
  if (path === undefined) return { env: run.env, words: argv };
  const writable = run.writable.map((folder) => realpathSync(folder));
  const safe = path.split(':').filter((folder) => isSafe(folder, writable));
  if (safe.join(':') === path) return { env: run.env, words: argv };
  const env = { ...run.env, PATH: safe.join(':') || '/usr/bin:/bin' };
  return { env, words: ['/bin/sh', '-c', 'PATH=$0; exec "$@"', path, ...argv] };
}

function isSafe(folder: string, writable: readonly string[]): boolean {
  if (!folder.startsWith('/')) return false;
  try {
    const real = realpathSync(folder);
    return !writable.some((one) => isWithin(real, one));
  } catch {
    // It may come up later, made by whom it may concern.
    return false;
  }
}
