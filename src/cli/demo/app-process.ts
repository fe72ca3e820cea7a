import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CcdError } from '../../domain/errors.ts';

/** A `ccd serve` in a process of its own. */
export interface AppProcess {
  readonly port: number;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves when the process has ended, however it ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** How it ended by itself, and the end of its log; null while it runs or when it was told to end. */
  death(): AppDeath | null;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Asks it to end, and waits. */
  stop(): Promise<void>;
}

export interface AppDeath {
  readonly how: string;
  readonly log: string;
}

export interface AppStart {
  readonly cli: string;
  readonly dir: string;
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts the app and resolves once it listens. Throws `demo.app` with the end of its log when it ends before. */
export async function startAppProcess(start: AppStart): Promise<AppProcess> {
  const logFile = join(start.dir, `${start.name}.log`);
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(process.execPath, [start.cli, 'serve', '--json'], {
    cwd: start.dir,
    env: start.env,
    stdio: ['ignore', 'pipe', log],
  });
  closeSync(log);
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  const port = await firstLine(child, logFile);
  let told = false;
  return {
    port,
    pid: child.pid!,
    logFile,
    ended,
    death: () => {
      if (told || (child.exitCode === null && child.signalCode === null)) return null;
      return {
        how: child.signalCode ?? `exit ${child.exitCode}`,
        log: readFileSync(logFile, 'utf8').trim().split('\n').at(-1)!.slice(0, 500),
      };
    },
    kill: async () => {
      told = true;
      child.kill('SIGKILL');
      await ended;
    },
    stop: async () => {
      told = true;
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function firstLine(child: ChildProcess, logFile: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (text.includes('\n')) resolve(Number((JSON.parse(text.split('\n')[0]!) as { port: number }).port));
    });
    child.once('error', reject);
    child.once('exit', () => {
      readFile(logFile, 'utf8').then((log) => reject(notStarted(log)), reject);
    });
  });
}

function notStarted(log: string): CcdError {
  return new CcdError({
    code: 'demo.app',
    message: `The app ended before it listened: ${log.slice(-500)}`,
    remedy: 'Its log tells why.',
    audience: 'operator',
  });
}
