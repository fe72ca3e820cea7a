import { existsSync, lchownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Isolation } from '../domain/contract.ts';
import { CcdError } from '../domain/errors.ts';
import { type Child, type ChildExit, startChild } from './child.ts';
import { giveTo, isOpenTo, isShutTo, thisUser, unusedUser } from './child-user.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Environment } from './environment.ts';
import { hiddenPlaces, toolPlaces } from './hidden-places.ts';
import { type Ids, randomIds } from './ids.ts';
import { type NetworkAccess, PortRelay } from './inner-port.ts';
import { type Isolator, isolatedArgv, isolators } from './isolation.ts';
import { endChild, instantKill, type KillTimes } from './kill.ts';
import { listeningSockets } from './listening-sockets.ts';
import { isWithin } from './named-places.ts';
import type { NamespacePlan } from './namespace-script.ts';
import { probeIsolator } from './probe-isolator.ts';
import { withSafePath } from './safe-path.ts';
import { existingPlace, type Place } from './secret-places.ts';
import { programExit } from './wrapped-exit.ts';

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
  /** What the program reaches, where `enforced.network` says that the network can be closed. */
  readonly network: NetworkAccess;
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
  /** `own`: a user that nobody else on the machine is. */
  readonly user: 'own' | 'shared';
  readonly detail: string;
  /** What stays open here and a stronger machine would close, a sentence each: to be told loudly. */
  readonly gaps: readonly string[];
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
  /** Files and folders that no program may see, besides home, runner and the usual places of credentials. */
  readonly hidden?: readonly string[];
  /**
   * A folder that nobody but this sandbox's programs works in. When it is given and this process is root, they run as a user
   * of their own, to which the named places in it are handed over, and writable folders elsewhere without what is in them;
   * other places they reach as far as everybody does.
   */
  readonly ownFolder?: string;
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
  const user = options.ownFolder === undefined ? null : unusedUser();
  for (const isolator of options.candidates ?? isolators) {
    if (rank[isolator.level] < rank[options.minimum]) continue;
    if (isolator.level === 'none' && !options.ephemeral) continue;
    if (isolator.name === 'own-user' && user === null) continue;
    const owner = isolator.name === 'own-user' ? user : null;
    if (await probeIsolator(isolator, clock, ids, owner)) {
      return sandboxWith({ isolator, options, user: owner, clock, ids });
    }
  }
  throw new CcdError({
    code: 'host.isolation',
    message: `This machine offers no isolation of level "${options.minimum}" or stronger.`,
    remedy:
      'Allow unprivileged user, network and mount namespaces or install bubblewrap; on a machine that is thrown away after each job, set "ephemeral: true" and policy "agent.isolation: none". "ccd isolation" tells what is missing.',
    audience: 'operator',
  });
}

interface Means {
  readonly isolator: Isolator;
  readonly options: SandboxOptions;
  readonly user: number | null;
  readonly clock: Clock;
  readonly ids: Ids;
}

function sandboxWith(means: Means): Sandbox {
  const { isolator, options, user, clock, ids } = means;
  const hidden = [
    ...hiddenPlaces(process.env, homedir()),
    ...(options.hidden ?? []).flatMap(existingPlace),
  ].map(realPlace);
  const handed = new Set<string>();
  const start = (argv: readonly [string, ...string[]], run: SandboxStart): SandboxProcess => {
    if (user !== null) handOver(run, options.ownFolder, user, handed);
    const stage = mkdtempSync(join(tmpdir(), 'ccd-stage-'));
    const { env, words } = withSafePath(argv, run);
    const command = isolatedArgv(isolator, words, planOf(run, hidden, stage, user), realpathSync(run.cwd));
    let relay: PortRelay | null = null;
    const { network } = run;
    const port = typeof network === 'object' && isolator.closesNetwork ? network.port : null;
    const child = startChild(command, {
      ...run,
      env,
      marker: ids.marker(),
      user,
      ...(port === null
        ? {}
        : {
            onListener: (server) => {
              relay = new PortRelay(server, port);
            },
          }),
    });
    const exited = child.exited.then((exit) => {
      rmSync(stage, { recursive: true, force: true });
      relay?.close();
      return programExit(exit, run.stderrFile);
    });
    return {
      child: { ...child, exited },
      exited,
      end: (times) => endChild({ ...child, exited }, times, clock),
    };
  };
  return { enforced: describe(isolator), start, run: (argv, run) => runToEnd(start(argv, run), run, clock) };
}

/**
 * What the programs may write in their own folder is handed over once, before they first run; what they read there each time,
 * since we go on writing it. Of a folder that others work in, too, only the folder itself: in there, names are not ours to trust.
 */
function handOver(run: SandboxStart, own: string | undefined, user: number, handed: Set<string>): void {
  if (own === undefined) return;
  const folder = realpathSync(own);
  const inside = (path: string) => isWithin(path, folder) && path !== folder;
  for (const path of run.writable.map((one) => realpathSync(one))) {
    if (handed.has(path)) continue;
    handed.add(path);
    if (inside(path)) giveTo(path, user);
    else if (!isOpenTo(user, path)) lchownSync(path, user, user);
  }
  for (const { path } of (run.readable ?? []).flatMap(existingPlace).map(realPlace)) {
    if (inside(path)) giveTo(path, user);
    else if (isShutTo(user, path)) throw unreadable(path, user);
  }
}

function unreadable(path: string, user: number): CcdError {
  return new CcdError({
    code: 'host.isolation',
    message: `${path} has to be readable in the sandbox, but the user ${user} that programs run as there may not enter it.`,
    remedy: `Let everybody read it (chmod -R o+rX ${path}), or install what is in it elsewhere.`,
    audience: 'operator',
  });
}

function planOf(
  run: SandboxStart,
  shut: readonly Place[],
  stage: string,
  user: number | null,
): NamespacePlan {
  const writable = run.writable.map((path) => realpathSync(path));
  const asked = (run.readable ?? []).flatMap(existingPlace).map(realPlace);
  const named = [...writable, ...asked.map(({ path }) => path)];
  const blocked = user === null ? [] : blockedFolders([...named, ...searched(run)], user);
  const emptied = [...shut.map(({ path }) => path), ...blocked, tmpdir(), '/tmp'];
  const tools = toolPlaces(run.env.PATH ?? '', emptied);
  const names = run.network === true ? existingPlace('/etc/resolv.conf').map(realPlace) : [];
  const readable = [
    ...asked,
    ...tools,
    ...names.filter(({ path }) => emptied.some((one) => isWithin(path, one))),
  ];
  const opened = [...named, ...tools.map(({ path }) => path)];
  // Looked for at each start: a service may have come up since the last one.
  const sockets = listeningSockets().filter((path) => !opened.some((folder) => isWithin(path, folder)));
  return {
    stage: realpathSync(stage),
    writable,
    hidden: [
      ...shut,
      ...blocked.map((path) => ({ path, kind: 'folder' as const })),
      ...sockets.map((path) => ({ path, kind: 'file' as const })),
    ],
    readable,
    network: run.network,
    user,
    caller: thisUser(),
  };
}

function searched(run: SandboxStart): string[] {
  const folders = [...(run.env.PATH ?? '').split(':'), process.execPath];
  return folders.filter((path) => path.startsWith('/') && existsSync(path)).map((path) => realpathSync(path));
}

/**
 * The outermost folder above each path that this user cannot pass through. Nothing in it is open to that user anyway, so an
 * empty one takes its place, in which the path is opened.
 */
function blockedFolders(paths: readonly string[], user: number): string[] {
  const found = paths.flatMap((path) => {
    const parts = path.split('/').slice(1, -1);
    const above = parts.map((_part, index) => `/${parts.slice(0, index + 1).join('/')}`);
    return above.find((folder) => isShutTo(user, folder)) ?? [];
  });
  return [...new Set(found)];
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

const closedFiles =
  'read-only root, private /tmp, /proc and /dev, no sockets of the machine, no capabilities';
const details: Record<Isolator['name'], string> = {
  'own-user': `a user of its own in process, mount and IPC namespaces: ${closedFiles}`,
  namespaces: `user, process, mount and IPC namespaces: ${closedFiles}`,
  bubblewrap: `bubblewrap: ${closedFiles}`,
  'pid-namespace': 'user and process namespace: own /proc, ends with its first process; files are open',
  none: 'nothing: declared ephemeral machine',
};

function describe(isolator: Isolator): Enforced {
  const network = isolator.closesNetwork ? 'closed' : 'open';
  const filesOpen = isolator.name === 'pid-namespace' || isolator.name === 'none';
  const gaps = [
    ...(network === 'open'
      ? ['the agent and the checks reach the network: this machine allows no network namespace']
      : []),
    ...(filesOpen ? ["the runner's files can be read: this machine allows no mount namespace"] : []),
    ...(isolator.name === 'none' ? ['other processes can be seen and signalled'] : []),
  ];
  return {
    isolation: isolator.level,
    network,
    user: isolator.name === 'own-user' ? 'own' : 'shared',
    detail: `${details[isolator.name]}; network ${network === 'open' ? 'open' : 'of its own'}`,
    gaps,
  };
}
