import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isolators } from '../../../src/host/isolation.ts';
import { createSandbox } from '../../../src/host/sandbox.ts';
import { type FenceResult, fencePlace, tryFence } from '../../../src/host/try-fence.ts';
import { testedVersions } from '../../../src/worker/claude/tested-versions.ts';
import { ccd, runIn } from './support/run-cli.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ccd-isolation-'));
  await chmod(dir, 0o755);
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
});

const stateOf = (lines: readonly FenceResult[]) =>
  Object.fromEntries(lines.map(({ id, state }) => [id, state]));

async function agentSaying(name: string, version: string): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, `#!/bin/sh\necho '${version}'\n`);
  await chmod(path, 0o755);
  return path;
}

describe('ccd isolation', () => {
  it('finds closed whatever policy demands of the strongest level, and leaves nothing behind', async () => {
    const tested = await agentSaying('tested', `${testedVersions[0]?.version} (Claude Code)`);
    const json = await runIn(dir, ccd('isolation', '--minimum', 'sandbox', '--agent', tested, '--json'));
    const found = JSON.parse(json.stdout) as {
      lines: (FenceResult & { demanded: boolean })[];
      agent: unknown;
    };
    expect([json.exitCode, json.stderr]).toEqual([0, '']);
    expect(found).toMatchObject({ demanded: 'sandbox', right: true, enforced: { isolation: 'sandbox' } });
    expect(found.lines.filter(({ demanded, state }) => demanded && state === 'open')).toEqual([]);
    expect(found.lines.length).toBeGreaterThan(25);
    expect(stateOf(found.lines)).toMatchObject({ gateway: 'open', leftover: 'closed', internet: 'closed' });
    expect(found.agent).toEqual({ program: tested, version: testedVersions[0]?.version, tested: true });
    expect((await readdir('/var/tmp')).filter((name) => name.startsWith('ccd-fence-'))).toEqual([]);
  });

  it('tells loudly of an agent that the worker was not tried with, and what policy takes', async () => {
    await mkdir(join(dir, '.github'));
    await writeFile(join(dir, '.github/ccd.yml'), 'version: 1\nagent:\n  isolation: sandbox\n');
    const other = await agentSaying('other', '9.9.9 (Claude Code)');
    const plain = await runIn(dir, ccd('isolation', '--agent', other));
    expect(plain.exitCode).toBe(0);
    expect(plain.stdout).toContain('9.9.9, NOT tried with this worker');
    expect(plain.stdout).toContain('policy takes sandbox and stronger: everything that it demands is closed');
  });

  it('ends with 2 and a sentence when it cannot judge', async () => {
    const before = await readdir(tmpdir());
    const bad: [readonly string[], RegExp][] = [
      [['--policy', 'none.yml'], /none\.yml cannot be read/],
      [['--minimum', 'fort'], /fort/],
      [['--agent', './no-such-agent'], /no program/],
    ];
    for (const [args, sentence] of bad) {
      const ended = await runIn(dir, ccd('isolation', ...args));
      expect([ended.exitCode, ended.stdout]).toEqual([2, '']);
      expect(ended.stderr).toMatch(sentence);
    }
    expect(
      (await readdir(tmpdir())).filter((name) => name.startsWith('ccd-fence-') && !before.includes(name)),
    ).toEqual([]);
  });
});

/** Each attempt gets through where nothing is closed: what is called closed elsewhere was really tried. */
describe('the attempts', () => {
  const through = async (level: 'none' | 'pid-namespace') => {
    const place = fencePlace();
    const candidates = isolators.filter(
      (one) => one.level === level && !one.closesNetwork && one.name === level,
    );
    const sandbox = await createSandbox({ minimum: level, ephemeral: true, candidates });
    const lines = await tryFence(sandbox, place);
    await rm(place.folder, { recursive: true });
    return stateOf(lines);
  };

  it('get through without a sandbox', async () => {
    const states = await through('none');
    const open = ['parent-file', 'write-outside', 'list-processes', 'read-environment', 'signal-processes'];
    const reached = [
      'loopback',
      'unix-socket',
      'abstract-socket',
      'shared-memory',
      'ipc',
      'same-user',
      'gateway',
    ];
    for (const id of [...open, ...reached]) expect([id, states[id]]).toEqual([id, 'open']);
    // Where the mounts are the machine's own, nobody tries to change them.
    expect([states.mount, states.unmount]).toEqual(['untried', 'untried']);
  });

  it('get at files and the network, but at no process, in a process namespace alone', async () => {
    const states = await through('pid-namespace');
    const closed = ['list-processes', 'read-environment', 'signal-processes', 'trace-processes', 'leftover'];
    for (const id of closed) expect([id, states[id]]).toEqual([id, 'closed']);
    for (const id of ['parent-file', 'write-outside', 'loopback', 'unix-socket', 'abstract-socket'])
      expect([id, states[id]]).toEqual([id, 'open']);
  });
});
