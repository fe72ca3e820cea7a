import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

export const root = join(import.meta.dirname, '..', '..', '..', '..');
export const cli = join(root, 'dist', 'cli', 'ccd.mjs');

/** A folder of its own with the tools named, and nothing else, on a PATH; `git` may be a script that says a version. */
export async function toolFolder(git: string | null, ...names: readonly string[]): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'ccd-tools-'));
  for (const name of names) await symlink((await execa('which', [name])).stdout, join(dir, name));
  if (git !== null)
    await writeFile(join(dir, 'git'), `#!/bin/sh\necho git version ${git}\n`, { mode: 0o755 });
  return dir;
}

/** Runs a program to its end, however it ends. Its folder for temporary files is its own: what it leaves there is seen. */
export async function runIn(
  dir: string,
  [program, ...args]: readonly [string, ...string[]],
  env: Record<string, string> = {},
) {
  const temporary = join(dir, 'tmp');
  await mkdir(temporary, { recursive: true });
  return execa(program, args, {
    cwd: dir,
    reject: false,
    extendEnv: false,
    env: { PATH: process.env.PATH ?? '', TMPDIR: temporary, ...env },
    timeout: 50_000,
  });
}

export const ccd = (...args: readonly string[]): [string, ...string[]] => [process.execPath, cli, ...args];
