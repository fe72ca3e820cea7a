import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/host/clock.ts';
import { randomIds } from '../../../src/host/ids.ts';
import { type Isolator, isolators } from '../../../src/host/isolation.ts';
import { programPid } from '../../../src/host/kill.ts';
import { probeIsolator } from '../../../src/host/probe-isolator.ts';
import { findMarked } from '../../../src/host/processes.ts';
import { createSandbox, type Sandbox, type SandboxExit } from '../../../src/host/sandbox.ts';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'ccd-sandbox-test-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Ran extends SandboxExit {
  readonly out: string;
  readonly err: string;
}

async function sh(
  sandbox: Sandbox,
  script: string,
  extra: { network?: boolean; timeoutMs?: number } = {},
): Promise<Ran> {
  const folder = mkdtempSync(join(root, 'run-'));
  const workDir = join(folder, 'work');
  mkdirSync(workDir);
  const exit = await sandbox.run(['/bin/sh', '-c', script], {
    cwd: workDir,
    env: { PATH: process.env.PATH ?? '', HOME: workDir },
    stdoutFile: join(folder, 'out'),
    stderrFile: join(folder, 'err'),
    writable: [workDir],
    network: extra.network ?? true,
    timeoutMs: extra.timeoutMs ?? 20_000,
  });
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  return { ...exit, out: read('out'), err: read('err') };
}

const onlyLevel = (level: Isolator['level']) =>
  createSandbox({
    minimum: level,
    ephemeral: level === 'none',
    hidden: [join(root, 'private')],
    candidates: isolators.filter((isolator) => isolator.level === level),
  });

describe.each(['sandbox', 'pid-namespace', 'none'] as const)('a sandbox of level %s', (level) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    mkdirSync(join(root, 'private'), { recursive: true });
    writeFileSync(join(root, 'private', 'key'), 'canary-in-private');
    sandbox = await onlyLevel(level);
  });

  it('says what it enforces', () => {
    expect(sandbox.enforced.isolation).toBe(level);
  });

  it('returns output and exit code, and gives nothing of the environment but what was asked for', async () => {
    const ran = await sh(sandbox, 'env | sort | cut -d= -f1 | tr "\\n" " "; echo oops >&2; exit 7');
    expect(ran).toMatchObject({ exitCode: 7, signal: null, timedOut: false, aborted: false });
    expect(ran.err).toBe('oops\n');
    const shellsOwn = new Set(['_', 'OLDPWD', 'PWD', 'SHLVL']);
    expect(
      ran.out
        .trim()
        .split(' ')
        .filter((name) => !shellsOwn.has(name)),
    ).toEqual(['CCD_MARKER', 'HOME', 'PATH']);
  });

  it('ends a program at its time limit, with everything that it started', async () => {
    const ran = await sh(
      sandbox,
      '(setsid sh -c "trap \\"\\" TERM INT; sleep 300" &) ; trap "" TERM INT; sleep 300',
      {
        timeoutMs: 700,
      },
    );
    expect(ran.timedOut).toBe(true);
    expect(ran.durationMs).toBeLessThan(8000);
  });

  it('leaves no process after a normal end', async () => {
    const folder = mkdtempSync(join(root, 'left-'));
    const started = sandbox.start(
      [
        '/bin/sh',
        '-c',
        `perl -e 'use POSIX; fork && exit; setsid; fork && exit; sleep 300'; echo $CCD_MARKER > ${folder}/m`,
      ],
      {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '' },
        stdoutFile: join(folder, 'out'),
        stderrFile: join(folder, 'err'),
        writable: [folder],
        network: true,
      },
    );
    await started.exited;
    const swept = await started.end({ interruptMs: 0, terminateMs: 0 });
    const marker = readFileSync(join(folder, 'm'), 'utf8').trim();
    expect(findMarked('CCD_MARKER', marker)).toEqual([]);
    if (level === 'none') expect(swept).toBeGreaterThan(0);
  });

  it('tells a program that was killed from one that ended with 1', async () => {
    const folder = mkdtempSync(join(root, 'killed-'));
    const start = { cwd: folder, env: { PATH: process.env.PATH ?? '' }, writable: [folder], network: true };
    const files = { stdoutFile: join(folder, 'out'), stderrFile: join(folder, 'err') };
    const started = sandbox.start(['/bin/sh', '-c', 'echo $$ > pid; sleep 300; :'], { ...start, ...files });
    while (!existsSync(join(folder, 'pid'))) await systemClock.sleep(10);
    process.kill(programPid(started.child.pid ?? 0), 'SIGKILL');
    expect(await started.exited).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect(await sh(sandbox, 'exit 1')).toMatchObject({ exitCode: 1, signal: null });
  });

  it('reports a program that does not exist as 127', async () => {
    const folder = mkdtempSync(join(root, 'missing-'));
    const exit = await sandbox.run(['/no/such/program'], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '' },
      stdoutFile: join(folder, 'out'),
      stderrFile: join(folder, 'err'),
      writable: [folder],
      network: true,
      timeoutMs: 10_000,
    });
    expect(exit.exitCode).toBe(127);
  });

  it('stops when asked to', async () => {
    const stop = new AbortController();
    const folder = mkdtempSync(join(root, 'stop-'));
    const running = sandbox.run(['/bin/sleep', '300'], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '' },
      stdoutFile: join(folder, 'out'),
      stderrFile: join(folder, 'err'),
      writable: [folder],
      network: true,
      timeoutMs: 100_000,
      signal: stop.signal,
    });
    stop.abort();
    expect(await running).toMatchObject({ aborted: true, timedOut: false });
  });

  if (level === 'none') return;

  it('hides the parent and its environment from /proc', async () => {
    const ran = await sh(
      sandbox,
      `cat /proc/${process.pid}/environ /proc/[0-9]*/environ | tr "\\0" "\\n" | grep -c '^VITEST'`,
    );
    expect(ran.out.trim()).toBe('0');
  });

  it('does not let the program see or signal the parent even with a /proc of the outer world', async () => {
    const ran = await sh(
      sandbox,
      `umount /proc 2>/dev/null; cat /proc/${process.pid}/environ; kill -9 ${process.pid}`,
    );
    expect(ran.out).not.toContain('VITEST');
    expect(ran.exitCode).not.toBe(0);
  });
});

describe('level sandbox', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await onlyLevel('sandbox');
  });

  it('keeps everything read-only but the named folders, and /tmp private', async () => {
    const mark = join(homedir(), `ccd-probe-${process.pid}`);
    const ran = await sh(
      sandbox,
      `echo x > ${mark}; echo y > ${root}/outside; ls -A /tmp; echo z > in && cat in; echo t > /tmp/t && cat /tmp/t`,
    );
    // A checkout below /tmp is opened for reading: the agent of these tests lies in it.
    const own = resolve('.').startsWith('/tmp/') ? `|${resolve('.').split('/')[2]}` : '';
    const others = ran.out
      .split('\n')
      .filter((name) => !new RegExp(`^(?:${root.split('/')[2]}${own})$`).test(name));
    expect(others.join('\n')).toBe('z\nt\n');
    expect(existsSync(mark)).toBe(false);
    expect(existsSync(join(root, 'outside'))).toBe(false);
    expect(existsSync('/tmp/t')).toBe(false);
  });

  it('hides what it is told to hide', async () => {
    expect((await sh(sandbox, `cat ${root}/private/key`)).out).toBe('');
  });

  it('drops every capability', async () => {
    const ran = await sh(
      sandbox,
      'grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status; mount -t tmpfs tmpfs /mnt',
    );
    expect(ran.out).toMatch(/CapEff:\s+0{16}\nNoNewPrivs:\s+1/);
    expect(ran.exitCode).not.toBe(0);
  });

  it('takes the network away but loopback', async () => {
    const server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const port = (server.address() as { port: number }).port;
    const outer = `require('net').connect(${port},'127.0.0.1').on('error',e=>console.log(e.code)).on('data',d=>console.log(String(d)))`;
    const inner = `const s=require('net').createServer(c=>c.end('own')).listen(0,'127.0.0.1',()=>require('net').connect(s.address().port,'127.0.0.1').on('data',d=>{console.log(String(d));s.close()}))`;
    const ask = (script: string, network: boolean) =>
      sh(sandbox, `${process.execPath} -e "${script}"`, { network });
    try {
      expect((await ask(outer, true)).out).toBe('reached\n');
      expect(sandbox.enforced.network).toBe('closed');
      expect((await ask(outer, false)).out).toBe('ECONNREFUSED\n');
      expect((await ask(inner, false)).out).toBe('own\n');
    } finally {
      server.close();
    }
  });
});

describe('choosing', () => {
  it('refuses to go without isolation unless the machine is declared ephemeral', async () => {
    const none = isolators.filter((isolator) => isolator.level === 'none');
    await expect(
      createSandbox({ minimum: 'none', ephemeral: false, candidates: none }),
    ).rejects.toMatchObject({
      code: 'host.isolation',
      audience: 'operator',
    });
    expect(
      (await createSandbox({ minimum: 'none', ephemeral: true, candidates: none })).enforced.isolation,
    ).toBe('none');
  });

  it('never goes below the minimum', async () => {
    const weak = isolators.filter((isolator) => isolator.level !== 'sandbox');
    await expect(
      createSandbox({ minimum: 'sandbox', ephemeral: true, candidates: weak }),
    ).rejects.toMatchObject({
      code: 'host.isolation',
    });
  });

  it('does not take a way that claims more than it closes', async () => {
    const liar: Isolator = { level: 'sandbox', name: 'pid-namespace', closesNetwork: false };
    expect(await probeIsolator(liar, systemClock, randomIds)).toBe(false);
  });
});
