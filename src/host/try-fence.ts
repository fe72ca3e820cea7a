import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { homedir, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { markerName } from './child.ts';
import { type Decoys, type FenceLine, fenceLines } from './fence-lines.ts';
import { removeTree } from './remove-tree.ts';
import type { Sandbox, SandboxRun } from './sandbox.ts';
import { shellQuote } from './shell-quote.ts';

/** `untried`: this machine has no means to try it. */
export interface FenceResult extends Omit<FenceLine, 'script'> {
  readonly state: 'open' | 'closed' | 'untried';
}

/** Where the attempts take place: made before the sandbox, because it is told what to hide and what to hand over. */
export interface FencePlace {
  readonly folder: string;
  readonly hidden: string;
  readonly own: string;
  readonly work: string;
}

export function fencePlace(): FencePlace {
  const folder = mkdtempSync(join(tmpdir(), 'ccd-fence-'));
  const place = {
    folder,
    hidden: join(folder, 'private'),
    own: join(folder, 'own'),
    work: join(folder, 'own', 'work'),
  };
  for (const path of [place.hidden, place.own, place.work]) mkdirSync(path, { mode: 0o700 });
  return place;
}

/**
 * Tries from inside a sandbox what it says is closed: each line with decoys outside, and at last whether anything is left once
 * it has ended. Nothing of value is read or written. What `place` names is removed.
 */
export async function tryFence(sandbox: Sandbox, place: FencePlace): Promise<FenceResult[]> {
  const standing = await standDecoys(place);
  try {
    const lines = fenceLines(standing.decoys);
    const answers = await ask(sandbox, place, lines, standing.decoys);
    const results = lines.map(({ script: _script, ...line }): FenceResult => {
      const code = answers.get(line.id);
      return {
        ...line,
        state: code === 0 ? 'open' : code === 3 || code === undefined ? 'untried' : 'closed',
      };
    });
    return [...results, await tryLeftover(sandbox, place), await tryGateway(sandbox, place, standing.decoys)];
  } finally {
    await standing.remove();
  }
}

async function ask(
  sandbox: Sandbox,
  place: FencePlace,
  lines: readonly FenceLine[],
  { gatewayPort }: Decoys,
): Promise<ReadonlyMap<string, number>> {
  const script = lines
    .map(
      ({ id, script: text }) =>
        `timeout 10 sh -c ${shellQuote(text)} >/dev/null 2>&1 </dev/null; echo "${id} $?"`,
    )
    .join('\n');
  const output = await runIn(sandbox, place, 'lines', script, { port: gatewayPort });
  return new Map(
    output
      .split('\n')
      .map((line) => line.split(' '))
      .flatMap(([id, code]) => (id !== undefined && code !== undefined ? [[id, Number(code)] as const] : [])),
  );
}

/** A process that forks twice into a session of its own and ignores signals: does it live on? */
async function tryLeftover(sandbox: Sandbox, place: FencePlace): Promise<FenceResult> {
  const beat = join(place.work, 'beat');
  const loop = `trap '' INT TERM HUP; while :; do echo x >> ${beat}; sleep 0.05; done`;
  await runIn(
    sandbox,
    place,
    'left',
    `(setsid sh -c ${shellQuote(loop)} >/dev/null 2>&1 &) ; sleep 0.3`,
    false,
  );
  const size = () => readFileSync(beat, 'utf8').length;
  const before = size();
  await new Promise((done) => setTimeout(done, 300));
  const what = 'leaves a process behind that outlives it';
  return { id: 'leftover', what, closedFrom: 'pid-namespace', state: size() > before ? 'open' : 'closed' };
}

/** The one way that has to be there. */
async function tryGateway(
  sandbox: Sandbox,
  place: FencePlace,
  { gatewayPort }: Decoys,
): Promise<FenceResult> {
  const script = `require('net').connect(${gatewayPort},'127.0.0.1').on('connect',()=>{console.log('reached');process.exit()}).on('error',()=>process.exit())`;
  const command = `${shellQuote(process.execPath)} -e ${shellQuote(script)}`;
  const output = await runIn(sandbox, place, 'gateway', command, { port: gatewayPort });
  const state = output.trim() === 'reached' ? 'open' : 'closed';
  return {
    id: 'gateway',
    what: 'reaches the gateway to the model (this has to be open)',
    closedFrom: null,
    state,
  };
}

async function runIn(
  sandbox: Sandbox,
  place: FencePlace,
  name: string,
  script: string,
  network: SandboxRun['network'],
): Promise<string> {
  const stdoutFile = join(place.hidden, `${name}.out`);
  await sandbox.run(['/bin/sh', '-c', script], {
    cwd: place.work,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: place.work },
    stdoutFile,
    stderrFile: join(place.hidden, `${name}.err`),
    writable: [place.work],
    network,
    timeoutMs: 120_000,
  });
  return readFileSync(stdoutFile, 'utf8');
}

interface Standing {
  readonly decoys: Decoys;
  remove(): Promise<void>;
}

async function standDecoys(place: FencePlace): Promise<Standing> {
  // Not in /tmp: that is empty inside, whatever else is closed.
  const folder = mkdtempSync('/var/tmp/ccd-fence-');
  const name = folder.slice('/var/tmp/'.length);
  const openFile = join(folder, 'open');
  const hiddenFile = join(place.hidden, 'key');
  const sharedMemory = join('/dev/shm', name);
  for (const file of [openFile, hiddenFile]) writeFileSync(file, 'canary', { mode: 0o666 });
  const shared = writeIfPossible(sharedMemory);
  const socket = join(folder, 'socket');
  const servers = [
    await listening(0, '0.0.0.0'),
    await listening(0, '127.0.0.1'),
    await listening(socket),
    await listening(`\0${name}`),
  ];
  const process_ = decoyProcess();
  const [service, gateway] = servers;
  return {
    decoys: {
      hiddenFile,
      openFile,
      pid: process_.pid ?? 1,
      port: portOf(service),
      gatewayPort: portOf(gateway),
      socket,
      abstract: name,
      sharedMemory,
      home: homedir(),
      uid: process.geteuid?.() ?? 0,
      keyring: await sessionKeyring(),
      ipc: readlinkSync('/proc/self/ns/ipc'),
      mounts: readlinkSync('/proc/self/ns/mnt'),
      address: ownAddress(),
    },
    remove: async () => {
      process_.kill('SIGKILL');
      for (const server of servers) server.close();
      if (shared) rmSync(sharedMemory, { force: true });
      await removeTree(folder);
    },
  };
}

function writeIfPossible(path: string): boolean {
  try {
    writeFileSync(path, 'canary', { mode: 0o666 });
    return true;
  } catch {
    // A machine without shared memory has none to be read.
    return false;
  }
}

function decoyProcess(): ChildProcess {
  const env = { PATH: process.env.PATH ?? '', CCD_FENCE: 'canary', [markerName]: 'fence' };
  return spawn('/bin/sh', ['-c', 'sleep 300; :', 'ccd-fence-decoy'], { env, stdio: 'ignore' });
}

async function listening(at: number | string, host?: string): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => undefined).end());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (typeof at === 'number') server.listen(at, host, resolve);
    else server.listen(at, resolve);
  });
  return server;
}

function portOf(server: Server | undefined): number {
  const address = server?.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function ownAddress(): string | null {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? null;
}

/** Serial number of this session's key ring, as far as a program can tell it. */
async function sessionKeyring(): Promise<number | null> {
  const script =
    'my $m = `uname -m`; my $n = $m =~ /x86_64/ ? 250 : $m =~ /aarch64/ ? 219 : exit 3; print syscall($n, 0, -3, 0)';
  try {
    const { stdout } = await promisify(execFile)('perl', ['-e', script]);
    const serial = Number(stdout);
    return serial > 0 ? serial : null;
  } catch {
    return null;
  }
}
