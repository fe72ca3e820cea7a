// Installs and builds what is missing or out of date, so that a command works on a fresh clone.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkGit, checkNode, stop } from './check-machine.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const cli = join(root, 'dist', 'cli', 'ccd.mjs');

/** Exits with 2 and one sentence, before anything is installed, where the machine lacks what ccd needs. */
export function ensureBuilt() {
  checkNode();
  checkGit();
  if (!existsSync(join(root, 'node_modules', 'esbuild'))) {
    run(process.platform === 'win32' ? 'npm.cmd' : 'npm', ['ci', '--no-audit', '--no-fund']);
  }
  if (isStale()) run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
}

/** The launcher is written last: it is there and new only when all of the build is. */
function isStale() {
  if (!existsSync(cli) || !existsSync(join(root, 'dist', 'cli', 'main.mjs'))) return true;
  return Math.max(newest(join(root, 'src')), newest(join(root, 'scripts'))) > statSync(cli).mtimeMs;
}

/** Output of tools goes to standard error: standard output belongs to the command. */
function run(program, args) {
  const done = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (done.error) stop('machine.tool-missing', `${program} could not be started.`, 'Install Node with npm.');
  if (done.signal !== null) process.exit(done.signal === 'SIGINT' ? 130 : 143);
  if (done.status !== 0)
    stop('machine.not-built', `${program} ${args[0]} failed.`, 'Its words stand above.', 70);
}

function newest(folder) {
  let at = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) at = Math.max(at, statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs);
  }
  return at;
}
