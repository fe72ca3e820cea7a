import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isolatedArgv, isolators } from '../../../src/host/isolation.ts';
import { listeningSockets } from '../../../src/host/listening-sockets.ts';
import { placesInOrder } from '../../../src/host/named-places.ts';
import { createSandbox, type Sandbox } from '../../../src/host/sandbox.ts';

let root = '';
/** A folder outside /tmp and home, which a sandbox does not replace. */
let outside = '';
let sandbox: Sandbox;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'ccd-escape-'));
  outside = mkdtempSync('/var/tmp/ccd-escape-');
  mkdirSync(join(outside, 'shut'));
  writeFileSync(join(outside, 'shut', 'key'), 'canary-shut');
  writeFileSync(join(outside, 'open'), 'canary-open');
  sandbox = await createSandbox({ minimum: 'sandbox', ephemeral: false, hidden: [join(outside, 'shut')] });
});
afterAll(() => {
  for (const folder of [root, outside]) rmSync(folder, { recursive: true, force: true });
});

async function sh(script: string, readable: readonly string[] = []): Promise<string> {
  const folder = mkdtempSync(join(root, 'run-'));
  const workDir = join(folder, 'work');
  mkdirSync(workDir);
  await sandbox.run(['/bin/sh', '-c', script], {
    cwd: workDir,
    env: { PATH: process.env.PATH ?? '' },
    stdoutFile: join(folder, 'out'),
    stderrFile: join(folder, 'err'),
    writable: [workDir],
    readable,
    network: true,
    timeoutMs: 20_000,
  });
  return readFileSync(join(folder, 'out'), 'utf8');
}

async function listening(path: string): Promise<Server> {
  const server = createServer((socket) => socket.end('reached')).listen(path);
  await new Promise((resolve) => server.once('listening', resolve));
  return server;
}

/** A program that says what answers on a socket, or why nothing does. */
const connectTo = (path: string) =>
  `${process.execPath} -e "require('net').connect('${path}').on('error',e=>console.log(e.code)).on('data',d=>console.log(String(d)))"`;

describe('sockets of the machine', () => {
  it('are not to be connected to, also those that came after the sandbox was made', async () => {
    const path = join(outside, 'docker.sock');
    const server = await listening(path);
    try {
      expect(listeningSockets()).toContain(path);
      expect(await sh(connectTo(path))).toBe('ECONNREFUSED\n');
    } finally {
      server.close();
    }
  });

  it('are open when they, or a folder above them, are named as readable', async () => {
    const path = join(outside, 'database.sock');
    const server = await listening(path);
    try {
      expect(await sh(connectTo(path), [path])).toBe('reached\n');
      expect(await sh(connectTo(path), [outside])).toBe('reached\n');
    } finally {
      server.close();
    }
  });

  it('of its own work', async () => {
    const own = `const s=require('net').createServer(c=>c.end('own')).listen('s',()=>require('net').connect('s').on('data',d=>{console.log(String(d));s.close()}))`;
    expect(await sh(`${process.execPath} -e "${own}"`)).toBe('own\n');
  });
});

describe('the machine under the sandbox', () => {
  it('shows no disk, no memory and no console, but the devices that programs need', async () => {
    const out = await sh(
      'ls /dev | tr "\\n" " "; echo; echo x > /dev/null && echo null; head -c 3 /dev/zero | wc -c; echo y >> /dev/stdout; : > /dev/shm/a && echo shm; touch /dev/new 2>/dev/null || echo closed',
    );
    const [devices = '', ...answers] = out.split('\n');
    const found = new Set(devices.split(' '));
    for (const name of ['full', 'null', 'random', 'urandom', 'zero', 'fd', 'stdout', 'pts', 'shm'])
      expect(found).toContain(name);
    expect(devices).not.toMatch(/\b(?:[svx]d[a-z]\d*|vda|nvme|dm-|loop|mem|kmsg|kvm|fuse|cpu)/);
    expect(answers.map((line) => line.trim())).toEqual(['null', '3', 'y', 'shm', 'closed', '']);
  });

  it('cannot be set through /proc, also when the runner is root', async () => {
    const out = await sh(
      'for f in sys/kernel/core_pattern sys/vm/drop_caches sysrq-trigger; do [ -e /proc/$f ] || continue; if (: >> /proc/$f) 2>/dev/null; then echo $f; fi; done; echo end',
    );
    expect(out).toBe('end\n');
  });

  it('gives its memory away in bounds only: /tmp and /dev/shm are small', async () => {
    const kibibytes = (await sh('df -kP /tmp /dev/shm | tail -n +2 | tr -s " " | cut -d" " -f2'))
      .trim()
      .split('\n')
      .map(Number);
    expect(kibibytes).toHaveLength(2);
    for (const size of kibibytes) expect(size).toBeLessThanOrEqual(2 * 1024 * 1024);
  });

  it('is not reached through namespaces that the program makes itself', async () => {
    const inner = `mount -o remount,bind,rw / ; : > ${outside}/evil; umount ${outside}/shut; cat ${outside}/shut/key; umount -l /proc; cat /proc/${process.pid}/environ`;
    const out = await sh(
      `unshare --user --map-current-user --mount sh -c '${inner}'; unshare -Urm sh -c '${inner}'; sh -c '${inner}'; echo end`,
    );
    expect(out.endsWith('end\n')).toBe(true);
    expect(out).not.toMatch(/canary|VITEST/);
    expect(existsSync(join(outside, 'evil'))).toBe(false);
  });
});

describe('named places', () => {
  it('that are shut stay shut inside a folder that is opened', async () => {
    const out = await sh(`cat ${outside}/open; cat ${outside}/shut/key`, [outside]);
    expect(out).toBe('canary-open');
  });

  it('go by the innermost name, and are the same for each way of isolating', () => {
    const plan = {
      stage: '/stage',
      hidden: [
        { path: '/a/b', kind: 'folder' as const },
        { path: '/run/x.sock', kind: 'file' as const },
      ],
      readable: [
        { path: '/a', kind: 'folder' as const },
        { path: '/a/b/c', kind: 'folder' as const },
      ],
      writable: ['/a/b/c/d'],
      network: true,
      user: null,
      caller: { uid: 1000, gid: 1000 },
    };
    expect(placesInOrder(plan).map(({ path, how }) => `${how} ${path}`)).toEqual([
      'readable /a',
      'hidden /a/b',
      'readable /a/b/c',
      'writable /a/b/c/d',
      'hidden /run/x.sock',
    ]);
    const bubblewrap = isolators.find(({ name }) => name === 'bubblewrap');
    if (bubblewrap === undefined) throw new Error('no bubblewrap');
    expect(isolatedArgv(bubblewrap, ['true'], plan, '/a/b/c/d').join(' ')).toContain(
      '--ro-bind /a /a --tmpfs /a/b --ro-bind /a/b/c /a/b/c --bind /a/b/c/d /a/b/c/d --ro-bind /dev/null /run/x.sock',
    );
  });
});
