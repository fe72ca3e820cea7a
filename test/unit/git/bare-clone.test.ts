import { existsSync } from 'node:fs';
import { readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openClone } from '../../../src/git/bare-clone.ts';
import { git } from '../../../src/git/run-git.ts';
import { serveOverHttp } from './http-remote.ts';
import { commitFiles, makeClone, makeFolder, makeRemote, refsOf } from './repositories.ts';

const main = 'refs/heads/main';

describe('the clone', () => {
  it('shows the remote refs as they are now, dropped and re-used names included', async () => {
    const remote = await makeRemote();
    const first = await commitFiles(remote, { a: '1' }, { ref: main });
    await git({ args: ['update-ref', 'refs/heads/ccd/task/1', first], gitDir: remote });
    await git({ args: ['update-ref', 'refs/ccd/refused/1.1.1', first], gitDir: remote });
    const clone = await makeClone(remote);
    expect(Object.fromEntries(await clone.fetch())).toEqual(await refsOf(remote));
    await git({ args: ['update-ref', '-d', 'refs/heads/ccd/task/1'], gitDir: remote });
    const second = await commitFiles(remote, { a: '2' }, { ref: main });
    await git({ args: ['update-ref', 'refs/heads/ccd/task/1/below', second], gitDir: remote });
    expect(Object.fromEntries(await clone.fetch())).toEqual(await refsOf(remote));
    expect(Object.fromEntries(await clone.lsRemote([main]))).toEqual({ [main]: second });
  });

  it('reads a remote without any ref', async () => {
    const clone = await makeClone(await makeRemote());
    expect((await clone.fetch()).size).toBe(0);
  });

  it('can be deleted between two processes', async () => {
    const remote = await makeRemote();
    const first = await commitFiles(remote, { a: '1' }, { ref: main });
    const dir = join(await makeFolder(), 'clone.git');
    for (const deleted of [false, true]) {
      if (deleted) await rm(dir, { recursive: true });
      const clone = await openClone({ dir, remoteUrl: remote, token: async () => '' });
      expect((await clone.fetch()).get(main)).toBe(first);
      expect((await clone.objects.readCommit(first)).message).toBe('work\n');
      await clone.close();
    }
  });

  it.each(['config', 'HEAD', 'objects', 'locks', 'ref'] as const)(
    'heals after damage to its %s',
    async (what) => {
      const remote = await makeRemote();
      await commitFiles(remote, { a: '1' }, { ref: main });
      const clone = await makeClone(remote);
      await clone.fetch();
      if (what === 'config' || what === 'HEAD') await truncate(join(clone.dir, what));
      if (what === 'objects') await rm(join(clone.dir, 'objects'), { recursive: true });
      if (what === 'ref') await writeFile(join(clone.dir, main), 'garbage');
      const next = await commitFiles(remote, { a: '2' }, { ref: main });
      if (what === 'locks') await writeFile(join(clone.dir, `${main}.lock`), '');
      expect((await clone.fetch()).get(main)).toBe(next);
      expect(await clone.objects.readTree(next)).toHaveLength(1);
    },
  );

  it('makes itself anew at the next fetch after an object that cannot be read', async () => {
    const remote = await makeRemote();
    const first = await commitFiles(remote, { a: '1' }, { ref: main });
    const clone = await makeClone(remote);
    await clone.fetch();
    for (const name of await readdir(join(clone.dir, 'objects'), { recursive: true })) {
      if (!/\/[0-9a-f]{38}$/.test(name)) continue;
      await rm(join(clone.dir, 'objects', name));
      await writeFile(join(clone.dir, 'objects', name), 'nonsense');
    }
    await expect(clone.objects.readCommit(first)).rejects.toMatchObject({
      code: expect.stringMatching(/^git\.object/),
    });
    await clone.fetch();
    expect((await clone.objects.readCommit(first)).oid).toBe(first);
  });

  it('makes itself anew when something is missing deep inside, and only then', async () => {
    const remote = await makeRemote();
    const first = await commitFiles(remote, { 'a/b': '1' }, { ref: main });
    const clone = await makeClone(remote);
    await clone.fetch();
    const [entry] = await clone.objects.readTree(first);
    const oid = entry?.oid ?? '';
    const untouched = join(clone.dir, 'witness');
    await writeFile(untouched, '');
    await expect(clone.objects.readBlob('1'.repeat(40))).rejects.toMatchObject({
      code: 'git.object-missing',
    });
    await clone.fetch();
    expect(existsSync(untouched)).toBe(true);
    await rm(join(clone.dir, 'objects', oid.slice(0, 2), oid.slice(2)));
    await expect(clone.objects.readBlob(oid)).rejects.toMatchObject({ code: 'git.object-missing' });
    await clone.fetch();
    expect((await clone.objects.readBlob(oid)).toString()).toBe('1');
    expect(existsSync(untouched)).toBe(false);
  });

  it('fetches a commit by id that no watched ref holds, and tells when there is none', async () => {
    const remote = await makeRemote();
    await commitFiles(remote, { a: '1' }, { ref: main });
    const pull = await commitFiles(remote, { a: '3' }, { ref: 'refs/pull/5/head' });
    const clone = await makeClone((await serveOverHttp(remote)).url);
    await clone.fetch();
    expect(await clone.objects.exists(pull)).toBe(false);
    expect(await clone.fetchCommits([pull])).toBe(true);
    expect(await clone.objects.exists(pull)).toBe(true);
    expect(await clone.fetchCommits(['2'.repeat(40)])).toBe(false);
  });

  it('says plainly that the remote cannot be read, without the token', async () => {
    const clone = await makeClone('http://127.0.0.1:9/none.git', 'secret-token');
    const fault = await clone.fetch().catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: 'git.fetch-failed', audience: 'operator', retryable: true });
    expect(JSON.stringify(fault)).not.toContain('secret');
  });
});
