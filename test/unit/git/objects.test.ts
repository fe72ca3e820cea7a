import { beforeEach, describe, expect, it } from 'vitest';
import type { Clone } from '../../../src/git/bare-clone.ts';
import { git, gitText } from '../../../src/git/run-git.ts';
import {
  commitTree,
  objectOid,
  writeBlob,
  writeTree,
  writeTreeLevel,
} from '../../../src/git/write-objects.ts';
import { commitFiles, makeClone, makeRemote } from './repositories.ts';

let clone: Clone;

beforeEach(async () => {
  clone = await makeClone(await makeRemote());
});

describe('objects', () => {
  it('written by us are the ones that git writes', async () => {
    const blob = await writeBlob(clone.dir, 'grüße\n');
    expect(await gitText({ args: ['hash-object', '--stdin'], input: 'grüße\n' })).toBe(blob);
    const tree = await writeTree(clone.dir, [
      { mode: '100644', oid: blob, path: 'a.b' },
      { mode: '100755', oid: blob, path: 'a/x' },
      { mode: '120000', oid: blob, path: 'a-b' },
      { mode: '100644', oid: blob, path: 'a0' },
    ]);
    const listing = await git({ args: ['ls-tree', tree], gitDir: clone.dir });
    expect(await gitText({ args: ['mktree'], gitDir: clone.dir, input: listing })).toBe(tree);
    const person = { name: 'someone', email: 'someone@example.org' };
    const commit = await commitTree(clone.dir, {
      tree,
      parents: [],
      message: 'work',
      date: 1_700_000_000,
      person,
    });
    const byGit = await gitText({
      args: ['commit-tree', tree, '-m', 'work'],
      gitDir: clone.dir,
      environment: Object.fromEntries(
        ['AUTHOR', 'COMMITTER'].flatMap((role) => [
          [`GIT_${role}_NAME`, person.name],
          [`GIT_${role}_EMAIL`, person.email],
          [`GIT_${role}_DATE`, '1700000000 +0000'],
        ]),
      ),
    });
    expect(commit).toBe(byGit);
    expect(await gitText({ args: ['fsck', '--strict', commit], gitDir: clone.dir })).toBe('');
  });

  it('are read as they are, many at once, also those that came after the reader', async () => {
    const big = Buffer.alloc(3_000_000, 'abc\n');
    const commit = await commitFiles(
      clone.dir,
      { 'd/big': big.toString('latin1'), small: '' },
      { message: 'x\n\ny\n' },
    );
    expect(await clone.objects.readCommit(commit)).toMatchObject({
      message: 'x\n\ny\n',
      author: { name: 'someone', email: 'someone@example.org' },
      date: 1_700_000_000,
    });
    const entries = await clone.objects.readTree(commit);
    expect(entries.map(({ path, kind, mode }) => [path, kind, mode])).toEqual([
      ['d/big', 'blob', '100644'],
      ['small', 'blob', '100644'],
    ]);
    const oids = entries.flatMap(({ oid }) => Array<string>(20).fill(oid));
    const read = await Promise.all(oids.map((oid) => clone.objects.readBlob(oid)));
    expect(read.map((blob) => blob.length)).toEqual([...Array(20).fill(3_000_000), ...Array(20).fill(0)]);
    expect(read[0]?.equals(big)).toBe(true);
    const later = await writeBlob(clone.dir, 'later');
    expect((await clone.objects.readBlob(later)).toString()).toBe('later');
  });

  it('that are absent, of another kind or too large are named errors', async () => {
    const blob = await writeBlob(clone.dir, 'x'.repeat(100));
    const code = (word: string) => ({ code: `git.object-${word}`, audience: 'operator' });
    await expect(clone.objects.readBlob('1'.repeat(40))).rejects.toMatchObject(code('missing'));
    await expect(clone.objects.readCommit(blob)).rejects.toMatchObject(code('kind'));
    await expect(clone.objects.readBlob(blob, 99)).rejects.toMatchObject(code('too-large'));
    await expect(clone.objects.readBlob('HEAD')).rejects.toThrow();
    expect(await clone.objects.info(blob)).toEqual({ kind: 'blob', size: 100 });
    expect(await clone.objects.exists('1'.repeat(40))).toBe(false);
    expect(clone.objects.health()).toBe('suspect');
  });

  it('outlive the reader’s process', async () => {
    const blob = await writeBlob(clone.dir, 'x');
    expect(await clone.objects.exists(blob)).toBe(true);
    await clone.objects.close();
    expect(await clone.objects.exists(blob)).toBe(true);
  });

  it('with names that no tree may hold are not written', async () => {
    const oid = objectOid('blob', Buffer.from(''));
    for (const name of ['', '.', '..', '.git', '.GIT', 'a/b', 'a\0', '\ud800']) {
      const written = writeTreeLevel(clone.dir, [{ mode: '100644', oid, name }]);
      await expect(written).rejects.toMatchObject({ code: 'git.tree-malformed' });
    }
    const twice = writeTree(clone.dir, [
      { mode: '100644', oid, path: 'a' },
      { mode: '100644', oid, path: 'a/b' },
    ]);
    await expect(twice).rejects.toMatchObject({ code: 'git.tree-malformed' });
    const person = { name: 'a\nparent x', email: 'e' };
    const commit = commitTree(clone.dir, { tree: oid, parents: [], message: 'm', date: 1, person });
    await expect(commit).rejects.toMatchObject({ code: 'git.commit-malformed' });
  });
});
