import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Isolation } from '../domain/contract.ts';
import { CcdError } from '../domain/errors.ts';
import { type Child, type ChildExit, startChild } from './child.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Environment } from './environment.ts';
import { type Ids, randomIds } from './ids.ts';
import { type Isolator, isolatedArgv, isolators } from './isolation.ts';
import { endChild, instantKill, type KillTimes } from './kill.ts';
import { listeningSockets } from './listening-sockets.ts';
import { isWithin } from './named-places.ts';
import type { NamespacePlan } from './namespace-script.ts';
import { probeIsolator } from './probe-isolator.ts';
import { existingPlace, type Place, secretPlaces } from './secret-places.ts';

export interface SandboxStart {
  /** Absolute; must exist and be inside a writable folder when the program is to write there. */
  readonly cwd: string;
  /** The whole environment of the program: nothing is inherited. */
  readonly env: Environment;
  /** Regular files, appended to; they need not be inside a writable folder. */
  readonly stdoutFile: string;
  readonly stderrFile: string;
  readonly stdin?: string | Uint8Array;
  /** Existing folders that stay writable. At level `sandbox` everything else is read-only, and /tmp is empty and private. */
  readonly writable: readonly string[];
  /** Existing files or folders below /tmp or a hidden place that must stay readable; also sockets that may be connected to. */
  readonly readable?: readonly string[];
  /** False: no network but loopback, where `enforced.network` says that this can be had. */
  readonly network: boolean;
}

export interface SandboxRun extends SandboxStart {
  readonly timeoutMs: number;
  /** Ends the run early; it then counts as `aborted`. */
  readonly signal?: AbortSignal;
}

export interface SandboxExit {
  /** Null when a signal ended the program or it did not start. 127 stands for "program not found". */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly durationMs: number;
  /** Processes that had outlived the program and were killed by the sweep. */
  readonly swept: number;
}

/** What is really closed, for contract, result and facts. */
export interface Enforced {
  readonly isolation: Isolation;
  readonly network: 'closed' | 'open';
  readonly detail: string;
}

export interface SandboxProcess {
  readonly child: Child;
  readonly exited: Promise<ChildExit>;
  /** Ends the program and all it left behind; also to be called after a normal end. Returns how many the sweep killed. */
  end(times: KillTimes): Promise<number>;
}

export interface Sandbox {
  readonly enforced: Enforced;
  /** Starts a program and returns at once. */
  start(argv: readonly [string, ...string[]], options: SandboxStart): SandboxProcess;
  /** Runs a program to its end or its time limit; nothing it started is left afterwards. */
  run(argv: readonly [string, ...string[]], options: SandboxRun): Promise<SandboxExit>;
}

export interface SandboxOptions {
  /** The weakest level that is acceptable. */
  readonly minimum: Isolation;
  /** True when the machine is declared to be thrown away after this job: only then `none` is acceptable. */
  readonly ephemeral: boolean;
  /** Files and folders that no program may see, besides the usual places of credentials. */
  readonly hidden?: readonly string[];
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Which ways may be tried; default: all, strongest first. */
  readonly candidates?: readonly Isolator[];
}

const rank: Record<Isolation, number> = { none: 0, 'pid-namespace': 1, sandbox: 2 };

/**
 * Finds the strongest isolation that works here, by trying each, and returns a sandbox that uses it. Throws CcdError
 * `host.isolation` (operator) when that is weaker than the minimum, or `none` on a machine not declared ephemeral.
 */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? randomIds;
  for (const isolator of options.candidates ?? isolators) {
    if (rank[isolator.level] < rank[options.minimum]) continue;
    if (isolator.level === 'none' && !options.ephemeral) continue;
    if (await probeIsolator(isolator, clock, ids)) return sandboxWith(isolator, options, clock, ids);
  }
  throw new CcdError({
    code: 'host.isolation',
    message: `This machine offers no isolation of level "${options.minimum}" or stronger.`,
    remedy:
      'Allow unprivileged user namespaces or install bubblewrap; on a machine that is thrown away after each job, set "ephemeral: true" and policy "agent.isolation: none".',
    audience: 'operator',
  });
}

function sandboxWith(isolator: Isolator, options: SandboxOptions, clock: Clock, ids: Ids): Sandbox {
  const hidden = [
    ...secretPlaces([homedir()], runnerFolders()),
    ...(options.hidden ?? []).flatMap(existingPlace),
  ];
  const start = (argv: readonly [string, ...string[]], run: SandboxStart): SandboxProcess => {
    const stage = mkdtempSync(join(tmpdir(), 'ccd-stage-'));
    const command = isolatedArgv(isolator, argv, planOf(run, hidden, stage), realpathSync(run.cwd));
    const child = startChild(command, { ...run, marker: ids.marker() });
    const unstage = () => rmSync(stage, { recursive: true, force: true });
    const exited = child.exited.then((exit) => {
      unstage();
      return exit;
    });
    return {
      child: { ...child, exited },
      exited,
      end: (times) => endChild({ ...child, exited }, times, clock),
    };
  };
  return { enforced: describe(isolator), start, run: (argv, run) => runToEnd(start(argv, run), run, clock) };
}

function planOf(run: SandboxStart, hidden: readonly Place[], stage: string): NamespacePlan {
  const writable = run.writable.map((path) => realpathSync(path));
  const readable = (run.readable ?? []).flatMap(existingPlace).map(realPlace);
  const opened = [...writable, ...readable.map(({ path }) => path)];
  // Looked for at each start: a service may have come up since the last one.
  const sockets = listeningSockets().filter((path) => !opened.some((folder) => isWithin(path, folder)));
  return {
    stage: realpathSync(stage),
    writable,
    hidden: [...hidden.map(realPlace), ...sockets.map((path) => ({ path, kind: 'file' as const }))],
    readable,
    network: run.network,
  };
}

const realPlace = (place: Place): Place => ({ ...place, path: realpathSync(place.path) });

async function runToEnd(process: SandboxProcess, run: SandboxRun, clock: Clock): Promise<SandboxExit> {
  const began = clock.now();
  const stop = new AbortController();
  const abort = () => stop.abort();
  run.signal?.addEventListener('abort', abort, { once: true });
  if (run.signal?.aborted === true) abort();
  const late = clock.sleep(run.timeoutMs, stop.signal).then(() => 'late' as const);
  const first = await Promise.race([process.exited.then(() => 'exited' as const), late]);
  const aborted = first === 'late' && run.signal?.aborted === true;
  const swept = await process.end(instantKill);
  run.signal?.removeEventListener('abort', abort);
  stop.abort();
  const exit = await process.exited;
  const durationMs = Math.max(0, Math.round(clock.now() - began));
  const ending = { timedOut: first === 'late' && !aborted, aborted, durationMs, swept };
  if (exit.kind === 'not-started')
    return { exitCode: exit.code === 'ENOENT' ? 127 : null, signal: null, ...ending };
  return { exitCode: exit.exitCode, signal: exit.signal, ...ending };
}

/** The installation folder of a self-hosted runner lies two levels above its work folder. */
function runnerFolders(): string[] {
  const temp = process.env.RUNNER_TEMP;
  return temp === undefined ? [] : [join(temp, '..', '..')].filter((path) => existsSync(path));
}

function describe(isolator: Isolator): Enforced {
  const detail: Record<Isolator['name'], string> = {
    namespaces:
      'user, process and mount namespaces: read-only root, private /tmp, /proc and /dev, no sockets of the machine, no capabilities',
    bubblewrap:
      'bubblewrap: read-only root, private /tmp, /proc and /dev, no sockets of the machine, no capabilities',
    'pid-namespace':
      'user and process namespace: own /proc, ends with its first process; files and network open',
    none: 'nothing: declared ephemeral machine',
  };
  return {
    isolation: isolator.level,
    network: isolator.closesNetwork ? 'closed' : 'open',
    detail: detail[isolator.name],
  };
}
