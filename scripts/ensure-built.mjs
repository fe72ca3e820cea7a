// Installs and builds what is missing or out of date, so that a command works on a fresh clone.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const cli = join(root, 'dist', 'cli', 'ccd.mjs');

/** Exits with 2 and one sentence where the machine lacks what ccd needs. */
export function checkMachine() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    stop(`Node ${process.versions.node} is too old: ccd needs 20.19 or newer.`);
  }
  const git = spawnSync('git', ['--version'], { encoding: 'utf8' });
  if (git.error) stop('git is missing: install git 2.38 or newer.');
}

function stop(sentence) {
  process.stderr.write(`ccd: ${sentence}\n`);
  process.exit(2);
}

export function ensureBuilt() {
  checkMachine();
  if (!existsSync(join(root, 'node_modules', 'esbuild'))) {
    run(process.platform === 'win32' ? 'npm.cmd' : 'npm', ['ci', '--no-audit', '--no-fund']);
  }
  if (!existsSync(cli) || newest(join(root, 'src')) > statSync(cli).mtimeMs) {
    run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
  }
}

/** Output of tools goes to standard error: standard output belongs to the command. */
function run(program, args) {
  const done = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (done.error) throw done.error;
  if (done.status !== 0) process.exit(done.status ?? 70);
}

function newest(folder) {
  let at = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) at = Math.max(at, statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs);
  }
  return at;
}
