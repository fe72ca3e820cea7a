import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unusedUser } from '../../../src/host/child-user.ts';
import { hiddenPlaces } from '../../../src/host/hidden-places.ts';
import type { NetworkAccess } from '../../../src/host/inner-port.ts';
import { type Isolator, isolators } from '../../../src/host/isolation.ts';
import { createSandbox, type Sandbox } from '../../../src/host/sandbox.ts';

const asRoot = process.geteuid?.() === 0;
const has = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
};
/** Every way that this machine and this user have; which of them are missing is no fault of the code's. */
const ways = (['own-user', 'namespaces', 'bubblewrap'] as const).filter(
  (name) => (name !== 'own-user' || asRoot) && (name !== 'bubblewrap' || has('bwrap')),
);

let root = '';
const servers: Server[] = [];
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'ccd-walls-'));
  // As an attempt's own folder is: nobody but its owner gets through.
  chmodSync(root, 0o700);
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(root, { recursive: true, force: true });
});

/** A server that says `hello` to everybody and gives back what it hears. */
async function listening(at: number | string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('hello ');
    socket.pipe(socket);
  });
  servers.push(server);
  await new Promise<void>((done) =>
    typeof at === 'number' ? server.listen(at, '127.0.0.1', done) : server.listen(at, done),
  );
  return server;
}

const portOf = (server: Server): number => (server.address() as { port: number }).port;

const only = (name: Isolator['name'], ownFolder: string): Promise<Sandbox> =>
  createSandbox({
    minimum: 'sandbox',
    ephemeral: false,
    ownFolder,
    candidates: isolators.filter((one) => one.name === name && one.closesNetwork),
  });

describe.each(ways)('a sandbox by %s', (way) => {
  let sandbox: Sandbox;
  let own = '';
  let work = '';
  let config = '';
  beforeAll(async () => {
    own = mkdtempSync(join(root, 'own-'));
    work = join(own, 'work');
    config = join(own, 'config');
    for (const folder of [work, config]) mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(work, 'given'), 'before', { mode: 0o600 });
    writeFileSync(join(config, 'settings'), 'settings', { mode: 0o600 });
    sandbox = await only(way, own);
  });

  let count = 0;
  async function sh(script: string, network: NetworkAccess = false): Promise<string> {
    count += 1;
    const stdoutFile = join(own, `out-${count}`);
    await sandbox.run(['/bin/sh', '-c', script], {
      cwd: work,
      env: { PATH: process.env.PATH ?? '' },
      stdoutFile,
      stderrFile: join(own, `err-${count}`),
      writable: [work],
      readable: [config],
      network,
      timeoutMs: 20_000,
    });
    return readFileSync(stdoutFile, 'utf8').trim();
  }
  const node = (script: string, network: NetworkAccess) => sh(`${process.execPath} -e "${script}"`, network);
  const ask = (to: string) =>
    `const s=require('net').connect(${to});s.setTimeout(4000,()=>{console.log('timeout');s.destroy()});s.on('error',e=>console.log(e.code));s.once('data',d=>{console.log(String(d).trim());s.destroy()})`;

  it('reaches the one port that it is given, under the same number, and no other of the machine', async () => {
    const given = portOf(await listening(0));
    const other = portOf(await listening(0));
    expect(await node(ask(`${given},'127.0.0.1'`), { port: given })).toBe('hello');
    expect(await node(ask(`${other},'127.0.0.1'`), { port: given })).toBe('ECONNREFUSED');
    expect(await node(ask(`${given},'127.0.0.1'`), false)).toBe('ECONNREFUSED');
    expect(await node(ask(`${other},'127.0.0.1'`), true)).toBe('hello');
  });

  it('passes many bytes through that port unchanged, both ways', async () => {
    const given = portOf(await listening(0));
    const script = `const s=require('net').connect(${given},'127.0.0.1');let n=0;s.on('data',d=>n+=d.length);s.on('close',()=>console.log(n));s.end(Buffer.alloc(5_000_000))`;
    expect(await node(script, { port: given })).toBe(String(5_000_000 + 'hello '.length));
  });

  it('ends a connection inside when the other side ends it', async () => {
    const server = createServer((socket) => socket.destroy());
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const script = `require('net').connect(${portOf(server)},'127.0.0.1').on('close',()=>console.log('closed'))`;
    expect(await node(script, { port: portOf(server) })).toBe('closed');
  });

  it('hands nothing of the channel on to the program', async () => {
    const given = portOf(await listening(0));
    const listed = await sh('env | grep -c NODE_CHANNEL; echo /proc/self/fd/*', { port: given });
    expect(listed.replaceAll('/proc/self/fd/', '')).toMatch(/^0\n0 1 2(?: 3| 10)*$/);
  });

  it('reaches neither other hosts, nor names, nor abstract sockets', async () => {
    const given = portOf(await listening(0));
    await listening(`\0ccd-fence-${process.pid}-${way}`);
    const network = { port: given };
    expect(await node(ask(`53,'192.0.2.1'`), network)).toBe('ENETUNREACH');
    expect(
      await node(`require('dns').resolve4('example.com',e=>console.log(e?e.code:'found'))`, network),
    ).toMatch(/^(?:ECONNREFUSED|ETIMEOUT|ESERVFAIL|ENOTFOUND)$/);
    const abstract = ask(`{path:'\\0ccd-fence-${process.pid}-${way}'}`);
    expect(await node(abstract, network)).toBe('ECONNREFUSED');
    expect(await node(abstract, true)).toBe('hello');
  });

  it('works on what it was handed and reads what it was given', async () => {
    expect(
      await sh(
        `cat given ${config}/settings; echo after > given; echo x > ${config}/settings; cat ${config}/settings; echo y >> /dev/stdout`,
      ),
    ).toBe('beforesettingssettingsy');
    expect(readFileSync(join(work, 'given'), 'utf8')).toBe('after\n');
  });

  it('finds the home of the runner and /run empty, and the programs on its path', async () => {
    const home = '"$(getent passwd "$(id -u 0 2>/dev/null || echo 0)" | cut -d: -f6)"';
    const found = await sh(
      `find ${home} /run -maxdepth 1 -type f -size +0; command -v node && node -e "console.log(1+1)"`,
    );
    expect(found).toMatch(/^\S+\/node\n2$/);
  });

  if (way === 'own-user') {
    it('runs as somebody that nobody else is, without groups, and reads no file of root', async () => {
      const [uid, groups, shadow] = (
        await sh('id -u; id -G; cat /etc/shadow >/dev/null 2>&1 || echo shut')
      ).split('\n');
      expect(Number(uid)).toBeGreaterThan(60_000);
      expect([groups, shadow]).toEqual([uid, 'shut']);
      expect(readFileSync('/etc/passwd', 'utf8')).not.toContain(`:${uid}:`);
      expect(statSync(join(work, 'given')).uid).toBe(Number(uid));
      expect(sandbox.enforced).toMatchObject({ user: 'own', network: 'closed', gaps: [] });
    });

    it('says so when it may not enter what it has to read', () => {
      const shut = mkdtempSync('/var/tmp/ccd-shut-');
      const run = { cwd: work, env: {}, writable: [work], readable: [shut], network: false };
      const files = { stdoutFile: join(own, 'shut.out'), stderrFile: join(own, 'shut.err') };
      try {
        expect(() => sandbox.start(['/bin/true'], { ...run, ...files })).toThrow(/may not enter it/);
      } finally {
        rmSync(shut, { recursive: true });
      }
    });

    it('hands over links as links, and nothing outside of its own folder', async () => {
      const outside = join(root, 'outside');
      writeFileSync(outside, 'mine');
      const folder = join(own, 'linked');
      const shared = join(root, 'shared');
      for (const one of [folder, shared]) mkdirSync(one);
      writeFileSync(join(shared, 'inside'), 'mine');
      execFileSync('ln', ['-s', outside, join(folder, 'link')]);
      await sandbox.run(['/bin/true'], {
        cwd: folder,
        env: {},
        stdoutFile: join(own, 'o'),
        stderrFile: join(own, 'e'),
        writable: [folder, shared],
        network: false,
        timeoutMs: 10_000,
      });
      expect(statSync(folder).uid).not.toBe(0);
      expect(statSync(outside).uid).toBe(0);
      // A folder that the operator shares is given, what lies in it is not looked at.
      expect(statSync(shared).uid).not.toBe(0);
      expect(statSync(join(shared, 'inside')).uid).toBe(0);
    });
  }

  it('is put together by no program that an agent could have written', async () => {
    const bin = join(work, 'bin');
    mkdirSync(bin, { recursive: true });
    for (const folder of [work, bin])
      for (const name of ['setpriv', 'unshare', 'bwrap', 'ip', 'perl', 'mount', 'node', 'env', 'uname']) {
        writeFileSync(join(folder, name), `#!/bin/sh\ntouch ${work}/taken\n`);
        chmodSync(join(folder, name), 0o755);
      }
    const path = `.::${bin}:${process.env.PATH}`;
    const files = { stdoutFile: join(own, 'path.out'), stderrFile: join(own, 'path.err') };
    const run = {
      cwd: work,
      env: { PATH: path },
      writable: [work],
      network: { port: portOf(await listening(0)) },
      timeoutMs: 20_000,
    };
    await sandbox.run(['/bin/sh', '-c', 'echo "$PATH"'], { ...run, ...files });
    // The program itself looks where it was told to.
    expect(readFileSync(files.stdoutFile, 'utf8')).toBe(`${path}\n`);
    expect(existsSync(join(work, 'taken'))).toBe(false);
    for (const name of readdirSync(work)) if (name !== 'given') rmSync(join(work, name), { recursive: true });
  });

  it('ends with everything in it when its parent process is killed', async () => {
    const script = join(import.meta.dirname, 'support', 'start-and-wait.ts');
    const mark = join(work, `alive-${way}`);
    const child = spawnSync(process.execPath, ['--import', 'tsx', script, way, own, work, mark], {
      encoding: 'utf8',
    });
    expect([child.stdout, child.signal]).toEqual(['started\n', 'SIGKILL']);
    // Killed by SIGKILL, it could clean up nothing: what lived on would go on writing.
    const size = () => statSync(mark).size;
    await until(async () => {
      const before = size();
      await new Promise((done) => setTimeout(done, 200));
      return size() === before;
    });
  });

  it('leaves the open files of its parent process to that', () => {
    const script = join(import.meta.dirname, 'support', 'run-and-show.ts');
    const stdio = ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', openSync('/etc/hosts', 'r')] as const;
    const child = spawnSync(
      process.execPath,
      ['--import', 'tsx', script, way, own, work, 'ls -l /proc/self/fd'],
      {
        encoding: 'utf8',
        stdio: [...stdio],
      },
    );
    expect(child.stdout).toContain('/dev/null');
    expect(child.stdout).not.toContain('/etc/hosts');
  });
});

async function until(done: () => Promise<boolean>): Promise<void> {
  const late = Date.now() + 10_000;
  while (!(await done())) if (Date.now() > late) throw new Error('it never came to that');
}

describe('a machine without perl', () => {
  it('gets the same root, put together step by step', async () => {
    const own = mkdtempSync(join(root, 'own-'));
    const [work, programs] = [join(own, 'work'), join(own, 'programs')];
    for (const folder of [work, programs]) mkdirSync(folder);
    for (const folder of ['/usr/bin', '/usr/sbin'])
      for (const name of readdirSync(folder))
        if (!name.startsWith('perl') && !existsSync(join(programs, name)))
          symlinkSync(join(folder, name), join(programs, name));
    const seen: Record<string, string> = {};
    for (const [name, path] of Object.entries({ with: process.env.PATH ?? '', without: programs })) {
      const stdoutFile = join(own, `${name}.out`);
      const sandbox = await only(asRoot ? 'own-user' : 'namespaces', own);
      await sandbox.run(
        [
          '/bin/sh',
          '-c',
          `command -v perl >/dev/null && echo perl; echo x > w && cat w; ls /dev /tmp ${homedir()} | grep -v -e ccd -e '^${basename(resolve('.'))}$'; for f in /usr /proc/sys/vm/drop_caches /dev; do [ -w $f ] && echo $f; done; cat /proc/1/comm`,
        ],
        {
          cwd: work,
          env: { PATH: path },
          stdoutFile,
          stderrFile: join(own, `${name}.err`),
          writable: [work],
          readable: [programs],
          network: false,
          timeoutMs: 20_000,
        },
      );
      seen[name] = readFileSync(stdoutFile, 'utf8');
    }
    expect(seen.with?.startsWith('perl\nx\n')).toBe(true);
    expect(`perl\n${seen.without}`).toBe(seen.with);
  });
});

describe('the machine behind', () => {
  it('keeps a runner to itself: its folder, the job folders and the files by which steps steer the job', () => {
    const runner = mkdtempSync(join(root, 'runner-'));
    const temporary = join(runner, '_work', '_temp');
    const commands = join(temporary, '_runner_file_commands');
    mkdirSync(commands, { recursive: true });
    mkdirSync(join(runner, '_diag'));
    writeFileSync(join(runner, '.credentials'), '{}');
    writeFileSync(join(commands, 'set_env_1'), '');
    const places = hiddenPlaces(
      {
        RUNNER_TEMP: temporary,
        GITHUB_ENV: join(commands, 'set_env_1'),
        GITHUB_WORKSPACE: join(runner, '_work'),
      },
      join(root, 'no-such-home'),
    ).map(({ path }) => path);
    for (const path of [
      runner,
      temporary,
      commands,
      join(commands, 'set_env_1'),
      join(runner, '.credentials'),
    ])
      expect(places).toContain(path);
    expect(places.filter((path) => existsSync(path))).toEqual(places);
  });

  it('never shuts a folder that the system lies in, whatever variables say', () => {
    const places = hiddenPlaces(
      { RUNNER_TEMP: '/tmp', GITHUB_WORKSPACE: '/', GITHUB_ENV: '/etc/x' },
      '/',
    ).map(({ path }) => path);
    for (const path of ['/', '/tmp', '/usr', '/etc']) expect(places).not.toContain(path);
  });

  it('gives a user of its own to root alone', () => {
    const user = unusedUser();
    if (asRoot) expect(user).toBeGreaterThan(60_000);
    else expect(user).toBeNull();
  });
});
