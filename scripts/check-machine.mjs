// What ccd needs of a machine. Read by Nodes that are too old: nothing here, and nothing that is imported before it has
// spoken, may need more than Node 14.
import { spawnSync } from 'node:child_process';

const neededNode = [20, 19];
/** `merge-tree --write-tree` came with it; src/git/check-git.ts asks for the same. */
const neededGit = [2, 38];

/** Ends the process with 2 and one sentence when this Node is too old. */
export function checkNode() {
  const version = process.versions.node;
  if (isOlder(version, neededNode))
    stop(
      'machine.node-too-old',
      `Node ${version} is too old.`,
      `Install Node ${neededNode.join('.')} or newer.`,
    );
}

/** Ends the process with 2 and one sentence when git is missing or too old. */
export function checkGit() {
  const remedy = `Install git ${neededGit.join('.')} or later and put it on the PATH.`;
  const run = spawnSync('git', ['--version'], { encoding: 'utf8', timeout: 10_000 });
  if (run.error || run.status !== 0) stop('git.missing', 'git could not be started.', remedy);
  const found = /\d+\.\d+(\.\d+)*/.exec(run.stdout);
  const said = run.stdout.trim().slice(0, 100);
  if (found === null || isOlder(found[0], neededGit))
    stop(
      'git.too-old',
      `git ${neededGit.join('.')} or later is needed; this is "${said}".`,
      'Install a newer git and put it first on the PATH.',
    );
}

function isOlder(version, [major, minor]) {
  const [first, second] = version.split('.').map(Number);
  return first < major || (first === major && second < minor);
}

/** Ends the process as a command of ccd ends at a fault: a sentence, and with `--json` one document. */
export function stop(code, message, remedy, exit = 2) {
  if (process.argv.includes('--json'))
    process.stdout.write(`${JSON.stringify({ error: { code, message, remedy } })}\n`);
  process.stderr.write(`ccd: ${message} ${remedy}\n`);
  process.exit(exit);
}
