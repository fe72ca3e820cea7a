import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fchownSync, openSync } from 'node:fs';
import { Server } from 'node:net';
import type { Environment } from './environment.ts';
import { asDiskFault } from './files.ts';

/** Name of the environment variable by which a child and all it leaves behind are found again. */
export const markerName = 'CCD_MARKER';

export interface ChildOptions {
  readonly cwd: string;
  /** The whole environment; nothing is inherited. */
  readonly env: Environment;
  /** Regular files, made or appended to: a pipe loses what the reader has not taken when the child ends. */
  readonly stdoutFile: string;
  readonly stderrFile: string;
  /** Written to standard input, then end of file. Default: nothing. */
  readonly stdin?: string | Uint8Array;
  readonly marker: string;
  /** The user that the program becomes: it may then open its own output again by name. Default: this one. */
  readonly user?: number | null;
  /** Opens a channel (file 3) by which the child hands out one listening socket; it is closed when that has come. */
  readonly onListener?: (server: Server) => void;
}

export type ChildExit =
  | { readonly kind: 'exited'; readonly exitCode: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: 'not-started'; readonly code: string };

export interface Child {
  /** Process id of what was spawned (a wrapper, when there is one); null when it did not start. */
  readonly pid: number | null;
  readonly marker: string;
  readonly exited: Promise<ChildExit>;
}

/**
 * Starts a program in a process group of its own. The promise `exited` never rejects; a program that cannot be started
 * ends as `not-started` with the system's error code. Throws CcdError `host.disk-full` when its files cannot be made.
 */
export function startChild(argv: readonly [string, ...string[]], options: ChildOptions): Child {
  const user = options.user ?? null;
  const stdout = openForAppend(options.stdoutFile, user);
  const stderr = openForAppend(options.stderrFile, user);
  try {
    return spawnWith(argv, options, stdout, stderr);
  } finally {
    closeSync(stdout);
    closeSync(stderr);
  }
}

function openForAppend(path: string, user: number | null): number {
  try {
    const file = openSync(path, 'a', 0o600);
    if (user !== null) fchownSync(file, user, user);
    return file;
  } catch (error) {
    throw asDiskFault(error, path);
  }
}

function spawnWith(
  [program, ...args]: readonly [string, ...string[]],
  options: ChildOptions,
  stdout: number,
  stderr: number,
): Child {
  const env = { ...options.env, [markerName]: options.marker };
  const input = options.stdin === undefined ? 'ignore' : 'pipe';
  const marker = options.marker;
  try {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env,
      detached: true,
      stdio: [input, stdout, stderr, ...(options.onListener === undefined ? [] : ['ipc' as const])],
    });
    if (options.onListener !== undefined) takeListener(child, options.onListener);
    const exited = new Promise<ChildExit>((resolve) => {
      child.once('error', (error) => resolve({ kind: 'not-started', code: errorCode(error) }));
      child.once('exit', (exitCode, signal) => resolve({ kind: 'exited', exitCode, signal }));
    });
    // A child that ends without reading its input is no fault of ours: EPIPE is expected then.
    child.stdin?.on('error', () => undefined);
    if (options.stdin !== undefined) child.stdin?.end(options.stdin);
    return { pid: child.pid ?? null, marker, exited };
  } catch (error) {
    // E2BIG is thrown, not emitted.
    return { pid: null, marker, exited: Promise.resolve({ kind: 'not-started', code: errorCode(error) }) };
  }
}

/** Only what comes first is heard, and it comes before any program of others' runs. */
function takeListener(child: ChildProcess, onListener: (server: Server) => void): void {
  child.once('message', (_message, handle) => {
    if (handle instanceof Server) onListener(handle);
    if (child.connected) child.disconnect();
  });
}

function errorCode(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? code : 'UNKNOWN';
}
