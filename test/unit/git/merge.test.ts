import { beforeEach, describe, expect, it } from 'vitest';
import type { Oid } from '../../../src/domain/ids.ts';
import type { Clone } from '../../../src/git/bare-clone.ts';
import { blobHistory, firstParents, isAncestor, mergeBase, mergeBases } from '../../../src/git/history.ts';
import { mergeCandidates, rebaseChange } from '../../../src/git/merge.ts';
import { netChange } from '../../../src/git/net-change.ts';
import { git } from '../../../src/git/run-git.ts';
import { objectOid } from '../../../src/git/write-objects.ts';
import { commitFiles, type Files, makeClone, makeRemote } from './repositories.ts';

const lines = (marks: Record<number, string> = {}) =>
  Array.from({ length: 30 }, (_, index) => `${marks[index] ?? `line ${index}`}\n`).join('');
const baseFiles: Files = { 'a.txt': lines(), 'b.txt': 'b\n', 'dir/c.txt': 'c\n' };

let clone: Clone;
let base: Oid;

beforeEach(async () => {
  clone = await makeClone(await makeRemote());
  base = await commit(baseFiles);
});

async function commit(files: Files, parents: readonly Oid[] = []): Promise<Oid> {
  return await commitFiles(clone.dir, files, { parents });
}

async function textAt(oid: Oid, path: string): Promise<string> {
  return (await git({ args: ['cat-file', 'blob', `${oid}:${path}`], gitDir: clone.dir })).toString('utf8');
}

const plan = { message: 'build 1', date: 1_700_000_100 };

describe('a build', () => {
  it('is one merge commit of all members in order, the same wherever it is made', async () => {
    const one = await commit({ ...baseFiles, 'a.txt': lines({ 2: 'ONE' }) }, [base]);
    const two = await commit({ ...baseFiles, 'a.txt': lines({ 25: 'TWO' }), 'new.txt': 'n\n' }, [base]);
    const trunk = await commit({ ...baseFiles, 'b.txt': 'trunk\n' }, [base]);
    const built = await mergeCandidates(clone, { base: trunk, candidates: [one, two], ...plan });
    if (built.kind !== 'built') throw new Error(built.kind);
    const read = await clone.objects.readCommit(built.commit);
    expect(read).toMatchObject({
      tree: built.tree,
      parents: [trunk, one, two],
      message: 'build 1\n',
      date: plan.date,
    });
    expect(await textAt(built.commit, 'a.txt')).toBe(lines({ 2: 'ONE', 25: 'TWO' }));
    expect(await textAt(built.commit, 'b.txt')).toBe('trunk\n');
    expect(await mergeCandidates(clone, { base: trunk, candidates: [one, two], ...plan })).toEqual(built);
    const again = await mergeCandidates(clone, {
      base: trunk,
      candidates: [one, two],
      ...plan,
      message: 'build 1 try 2',
    });
    expect(again).toMatchObject({ kind: 'built', tree: built.tree });
    expect(again.kind === 'built' && again.commit).not.toBe(built.commit);
    const changed = (await netChange(clone, trunk, built.commit)).map(({ path }) => path);
    expect(changed).toEqual(['a.txt', 'new.txt']);
  });

  it('without members is trunk’s own tree on a new commit', async () => {
    const built = await mergeCandidates(clone, { base, candidates: [], ...plan });
    expect(built).toMatchObject({ kind: 'built', tree: (await clone.objects.readCommit(base)).tree });
  });

  it('names the member that conflicts, and where', async () => {
    const one = await commit({ ...baseFiles, 'a.txt': lines({ 2: 'ONE' }) }, [base]);
    const two = await commit({ ...baseFiles, 'a.txt': lines({ 2: 'TWO' }), 'b.txt': 'x\n' }, [base]);
    expect(await mergeCandidates(clone, { base, candidates: [one, two], ...plan })).toEqual({
      kind: 'conflict',
      candidate: two,
      paths: ['a.txt'],
    });
  });

  it('never carries an edit over to a path that its author did not touch', async () => {
    const { 'b.txt': content = '', ...rest } = baseFiles;
    const renamed = await commit({ ...rest, 'moved.txt': content }, [base]);
    const edited = await commit({ ...baseFiles, 'b.txt': 'b\nmore\n' }, [base]);
    expect(await mergeCandidates(clone, { base: renamed, candidates: [edited], ...plan })).toMatchObject({
      kind: 'conflict',
      paths: ['moved.txt'],
    });
    expect(await rebaseChange(clone, { candidate: edited, oldBase: base, newBase: renamed })).toMatchObject({
      kind: 'conflict',
      paths: ['moved.txt'],
    });
    const movedFolder = await commit({ 'a.txt': lines(), 'b.txt': 'b\n', 'other/c.txt': 'c\n' }, [base]);
    const added = await commit({ ...baseFiles, 'dir/new.txt': 'n\n' }, [base]);
    const built = await mergeCandidates(clone, { base: movedFolder, candidates: [added], ...plan });
    expect(
      built.kind === 'built' && (await netChange(clone, movedFolder, built.commit)).map(({ path }) => path),
    ).toEqual(['dir/new.txt']);
  });

  it('is not steered by attributes of the repository', async () => {
    const attributes = { '.gitattributes': '*.txt merge=union\n' };
    const root = await commit({ ...baseFiles, ...attributes });
    const one = await commit({ ...baseFiles, ...attributes, 'b.txt': 'one\n' }, [root]);
    const two = await commit({ ...baseFiles, ...attributes, 'b.txt': 'two\n' }, [root]);
    expect(await mergeCandidates(clone, { base: one, candidates: [two], ...plan })).toMatchObject({
      kind: 'conflict',
    });
  });

  it('says when a candidate shares no history with trunk', async () => {
    const stranger = await commit({ z: 'z' });
    expect(await mergeCandidates(clone, { base, candidates: [stranger], ...plan })).toEqual({
      kind: 'unrelated',
      candidate: stranger,
    });
  });
});

describe('a change on another base', () => {
  it('keeps what landed meanwhile', async () => {
    const candidate = await commit({ ...baseFiles, 'a.txt': lines({ 3: 'mine' }) }, [base]);
    const newBase = await commit({ ...baseFiles, 'a.txt': lines({ 20: 'landed' }), 'b.txt': 'landed\n' }, [
      base,
    ]);
    const result = await rebaseChange(clone, { candidate, oldBase: base, newBase });
    if (result.kind !== 'rebased') throw new Error(result.kind);
    expect(await textAt(result.tree, 'a.txt')).toBe(lines({ 3: 'mine', 20: 'landed' }));
    expect(await textAt(result.tree, 'b.txt')).toBe('landed\n');
  });

  it('shows conflicts with markers', async () => {
    const candidate = await commit({ ...baseFiles, 'b.txt': 'mine\n' }, [base]);
    const newBase = await commit({ ...baseFiles, 'b.txt': 'landed\n' }, [base]);
    const result = await rebaseChange(clone, { candidate, oldBase: base, newBase });
    expect(result).toMatchObject({ kind: 'conflict', paths: ['b.txt'] });
    expect(await textAt(result.tree, 'b.txt')).toMatch(/^<{7} .*\nlanded\n={7}\nmine\n>{7} .*\n$/);
  });
});

describe('history', () => {
  it('follows first parents down to a commit, a limit or the root', async () => {
    const side = await commit({ side: '1' }, [base]);
    const second = await commit({ ...baseFiles, side: '1' }, [base, side]);
    const third = await commit({ ...baseFiles, 'b.txt': '3' }, [second]);
    const ids = async (until: Oid | null, limit: number) => {
      const { commits, reached } = await firstParents(clone, third, until, limit);
      return [commits.map(({ oid }) => oid), reached];
    };
    expect(await ids(base, 10)).toEqual([[third, second], true]);
    expect(await ids(null, 10)).toEqual([[third, second, base], true]);
    expect(await ids(null, 2)).toEqual([[third, second], false]);
    expect(await ids(side, 10)).toEqual([[third, second, base], false]);
    expect(await isAncestor(clone, side, third)).toBe(true);
    expect(await isAncestor(clone, third, side)).toBe(false);
    expect(await isAncestor(clone, '1'.repeat(40), third)).toBe(false);
    expect(await mergeBases(clone, side, third)).toEqual([side]);
    expect(await mergeBase(clone, side, third)).toBe(side);
    expect(await mergeBases(clone, await commit({ z: '' }), third)).toEqual([]);
  });

  it('remembers the versions that trunk has left, whatever the paths are called', async () => {
    const tree = (await clone.objects.readCommit(base)).tree;
    const odd = `x\n${tree} ${tree}\n:100644`;
    const second = await commit({ ...baseFiles, 'b.txt': '2\n', [odd]: '1' }, [base]);
    const third = await commit({ ...baseFiles, 'b.txt': '3\n' }, [second]);
    const merged = await commit({ 'a.txt': lines(), 'dir/c.txt': 'c\n' }, [third, base]);
    const blob = (text: string) => objectOid('blob', Buffer.from(text));
    const history = await blobHistory(clone, merged, ['b.txt', 'a.txt', odd], 10);
    expect(Object.fromEntries(history)).toEqual({
      'b.txt': [
        { oid: blob('3\n'), leftBy: merged },
        { oid: blob('2\n'), leftBy: third },
        { oid: blob('b\n'), leftBy: second },
      ],
      [odd]: [
        { oid: blob('1'), leftBy: third },
        { oid: null, leftBy: second },
      ],
    });
    expect((await blobHistory(clone, merged, ['b.txt'], 1)).get('b.txt')).toHaveLength(1);
  });
});
