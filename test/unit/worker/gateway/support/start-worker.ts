import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { onClose, scratchFolder } from './gateway-world.ts';

export interface WorkerSaid {
  readonly statuses: readonly number[];
  readonly slots: readonly (number | null)[];
  readonly waited: number;
}

export interface Worker {
  readonly process: ChildProcess;
  /** What it printed, once it has. */
  readonly said: Promise<WorkerSaid>;
}

/** Bundles the worker once, so that each of many starts quickly. */
export async function workerProgram(): Promise<(order: object) => Worker> {
  const outfile = join(scratchFolder(), 'worker.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'limited-worker.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    // Packages that ask for others the old way find them here.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return (order) => {
    const whole = {
      folder: null,
      keys: ['sk-key-one'],
      requests: 1,
      atOnce: 1,
      hold: false,
      maxWaitMs: 60_000,
      ...order,
    };
    const child = spawn(process.execPath, [outfile, JSON.stringify(whole)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onClose(() => child.kill('SIGKILL'));
    const line = once(createInterface({ input: child.stdout }), 'line');
    return { process: child, said: line.then(([text]) => JSON.parse(String(text)) as WorkerSaid) };
  };
}
