import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { processTable } from './process-table.ts';

/** Where a job's processes live. `wrap` turns a command into one that runs there. */
export interface JobNamespace {
  readonly kind: 'pid-namespace' | 'none';
  readonly wrap: (argv: readonly string[], cwd: string) => readonly string[];
  /** Kills whatever still lives there. */
  readonly close: () => Promise<void>;
}

const FLAGS: readonly (readonly string[])[] = [
  ['--pid', '--fork', '--kill-child', '--mount-proc'],
  ['--user', '--map-current-user', '--pid', '--fork', '--kill-child', '--mount-proc'],
];

let found: readonly string[] | null | undefined;

/** The strongest `unshare` flags that work on this machine, tried once; null when none does. */
function namespaceFlags(): readonly string[] | null {
  if (found !== undefined) return found;
  const works = (flags: readonly string[]) =>
    spawnSync('unshare', [...flags, 'true'], { stdio: 'ignore', timeout: 10_000 }).status === 0 &&
    spawnSync('nsenter', ['--version'], { stdio: 'ignore', timeout: 10_000 }).status === 0;
  found = process.platform === 'linux' ? (FLAGS.find(works) ?? null) : null;
  return found;
}

/**
 * Where there is no namespace: a process beside the job that ends it when we are gone, by the marker that each of its
 * processes carries. Its own environment holds none.
 */
const GUARD = `
while read -r _; do :; done
for round in 1 2 3; do
  for place in /proc/[0-9]*; do
    if tr '\\0' '\\n' < "$place/environ" 2>/dev/null | grep -qxF "$0"; then kill -9 "\${place#/proc/}" 2>/dev/null; fi
  done
done`;

function withoutNamespace(marker: string): JobNamespace {
  const guard = spawn('bash', ['--noprofile', '--norc', '-c', GUARD, `CCD_LOCAL_JOB=${marker}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env.PATH ?? '' },
    detached: true,
  });
  const exited = once(guard, 'exit');
  return {
    kind: 'none',
    wrap: (argv) => argv,
    close: async () => {
      guard.kill('SIGKILL');
      await exited;
    },
  };
}

/** The first process of the namespace: bash reaps orphans and ends when its standard input does, hence with us. */
const INIT = 'echo up; while read -r _; do :; done';

async function readyInit(holder: ChildProcess): Promise<number | null> {
  await Promise.race([once(holder.stdout!, 'data'), once(holder, 'exit')]);
  return processTable().find((row) => row.parent === holder.pid)?.pid ?? null;
}

/**
 * Opens a PID namespace for one job, so that nothing the job starts can outlive it. Falls back to none where the
 * system has none; the sweep by marker, and the guard beside the job, still hold there.
 */
export async function openNamespace(
  mode: 'auto' | 'off',
  marker: string,
  machineEnv: Readonly<Record<string, string>>,
): Promise<JobNamespace> {
  const env = { ...machineEnv, CCD_LOCAL_JOB: marker };
  const flags = mode === 'off' ? null : namespaceFlags();
  if (flags === null) return withoutNamespace(marker);
  const holder = spawn('unshare', [...flags, 'bash', '--noprofile', '--norc', '-c', INIT], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env,
    detached: true,
  });
  const exited = once(holder, 'exit');
  const init = await readyInit(holder);
  if (init === null) return withoutNamespace(marker);
  const user = flags.includes('--user') ? ['--user', '--preserve-credentials'] : [];
  const enter = ['nsenter', '--target', String(init), ...user, '--pid', '--mount', '--'];
  return {
    kind: 'pid-namespace',
    // Entering a mount namespace resets the working directory, so it is set again inside; by `env`, because a shell
    // drops variables such as INPUT_PLAN-DIGEST, whose names it cannot use.
    wrap: (argv, cwd) => [...enter, 'env', `--chdir=${cwd}`, ...argv],
    close: async () => {
      holder.kill('SIGKILL');
      await exited;
    },
  };
}
