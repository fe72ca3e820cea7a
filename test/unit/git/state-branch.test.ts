import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Clone } from '../../../src/git/bare-clone.ts';
import { gitText } from '../../../src/git/run-git.ts';
import { readStateFile, readStateFolder, writeState } from '../../../src/git/state-branch.ts';
import { commitFiles, makeClone, makeRemote } from './repositories.ts';

const schema = z.strictObject({ n: z.number() });
let clone: Clone;

beforeEach(async () => {
  clone = await makeClone(await makeRemote());
});

async function write(parent: string | null, files: Record<string, unknown>, message = 'pass 1') {
  return await writeState(clone, {
    parent,
    files: new Map(Object.entries(files)),
    message,
    date: 1_700_000_000,
  });
}

describe('the state branch', () => {
  it('keeps what is not named, changes what is, and drops empty folders', async () => {
    const first = await write(null, {
      'repository.json': { n: 1 },
      'tasks/00/1.json': { n: 2 },
      'tasks/01/2.json': { n: 3 },
    });
    const second = await write(first, {
      'tasks/00/1.json': null,
      'tasks/01/2.json': { n: 4 },
      'active/2.json': { n: 5 },
    });
    const read = await readStateFolder(clone.objects, second, '', schema);
    expect(read.kind === 'read' && Object.fromEntries(read.values)).toEqual({
      'active/2.json': { n: 5 },
      'repository.json': { n: 1 },
      'tasks/01/2.json': { n: 4 },
    });
    const tasks = await readStateFolder(clone.objects, second, 'tasks', schema);
    expect(tasks.kind === 'read' && [...tasks.values.keys()]).toEqual(['tasks/01/2.json']);
    expect(await readStateFolder(clone.objects, second, 'none', schema)).toEqual({
      kind: 'read',
      values: new Map(),
    });
    expect((await clone.objects.readCommit(second)).parents).toEqual([first]);
    expect((await clone.objects.readCommit(first)).parents).toEqual([]);
    expect(await gitText({ args: ['fsck', '--strict', first, second], gitDir: clone.dir })).toBe('');
  });

  it('gives the same commit for the same data, in whatever order and wherever', async () => {
    const elsewhere = await makeClone(await makeRemote());
    const one = await write(null, { 'a.json': { y: { b: 1, a: 2 }, x: 1 }, 'b.json': { n: 1 } });
    const files = new Map<string, unknown>([
      ['b.json', { n: 1 }],
      ['a.json', { x: 1, y: { a: 2, b: 1 } }],
    ]);
    const other = await writeState(elsewhere, {
      parent: null,
      files,
      message: 'pass 1',
      date: 1_700_000_000,
    });
    expect(other).toBe(one);
    expect(await write(null, { 'a.json': { n: 1 } })).not.toBe(
      await write(null, { 'a.json': { n: 1 } }, 'pass 2'),
    );
    expect(await gitText({ args: ['cat-file', 'blob', `${one}:a.json`], gitDir: clone.dir })).toBe(
      '{\n  "x": 1,\n  "y": {\n    "a": 2,\n    "b": 1\n  }\n}',
    );
  });

  it('can become empty', async () => {
    const first = await write(null, { 'a/b.json': { n: 1 } });
    const second = await write(first, { 'a/b.json': null });
    expect(await readStateFolder(clone.objects, second, '', schema)).toEqual({
      kind: 'read',
      values: new Map(),
    });
  });

  it('tells a missing branch, an absent file and an unreadable one apart', async () => {
    const commit = await commitFiles(clone.dir, {
      'ok.json': '{"n": 1}',
      'torn.json': '{"n": ',
      'other.json': '{"n": "x"}',
      'more.json': '{"n": 1, "m": 2}',
      'folder/x.json': '{"n": 1}',
    });
    const read = (path: string, at: string | null = commit) => readStateFile(clone.objects, at, path, schema);
    expect(await read('ok.json')).toEqual({ kind: 'read', value: { n: 1 } });
    expect(await read('none.json')).toEqual({ kind: 'absent' });
    expect(await read('ok.json/below')).toEqual({ kind: 'absent' });
    expect(await read('ok.json', null)).toEqual({ kind: 'missing' });
    expect(await read('ok.json', '1'.repeat(40))).toEqual({ kind: 'missing' });
    for (const path of ['torn.json', 'other.json', 'more.json', 'folder']) {
      expect(await read(path)).toMatchObject({ kind: 'unreadable', problems: [{ path }] });
    }
    const all = await readStateFolder(clone.objects, commit, '', schema);
    expect(all.kind === 'unreadable' && all.problems.map(({ path }) => path)).toEqual([
      'more.json',
      'other.json',
      'torn.json',
    ]);
    expect(await readStateFolder(clone.objects, null, '', schema)).toEqual({ kind: 'missing' });
  });

  it.each(['', '/a', 'a/', 'a//b', '../a', 'a/../b', '.git/x', 'A.json', 'a b', 'a\nb', 'x.lock'])(
    'has no place for %j',
    async (path) => {
      await expect(write(null, { [path]: { n: 1 } })).rejects.toMatchObject({ code: 'git.state-path' });
    },
  );

  it('refuses data that JSON cannot carry', async () => {
    await expect(write(null, { 'a.json': { n: Number.NaN } })).rejects.toBeInstanceOf(TypeError);
  });
});
