import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Oid } from '../../../src/domain/ids.ts';
import type { Clone } from '../../../src/git/bare-clone.ts';
import { handoverRef } from '../../../src/git/bundle-header.ts';
import { importBundle } from '../../../src/git/import-bundle.ts';
import type { ImportLimits } from '../../../src/git/import-limits.ts';
import { git } from '../../../src/git/run-git.ts';
import { objectOid, writeBlob } from '../../../src/git/write-objects.ts';
import { deltaBomb } from './delta-bomb.ts';
import { commitFiles, makeClone, makeFolder, makeRemote } from './repositories.ts';

interface Bench {
  readonly clone: Clone;
  /** Stands for the worker's repository: anything can be put into it. */
  readonly worker: string;
  readonly base: Oid;
  readonly folder: string;
}

const baseFiles = { 'src/a.ts': 'one\n', 'src/b.ts': 'two\n'.repeat(200), 'README.md': 'hello\n' };
let bench: Bench;

beforeEach(async () => {
  const remote = await makeRemote();
  const before = await commitFiles(remote, { ...baseFiles, 'README.md': 'old\n' });
  const base = await commitFiles(remote, baseFiles, { parents: [before], ref: 'refs/heads/main' });
  const clone = await makeClone(remote);
  await clone.fetch();
  const worker = await makeRemote();
  await git({ args: ['fetch', '--quiet', remote, '+refs/heads/*:refs/heads/*'], gitDir: worker });
  bench = { clone, worker, base, folder: await makeFolder() };
});

/** Any bytes as an object, without anybody's checks. */
async function raw(kind: 'blob' | 'tree' | 'commit', body: Buffer | string): Promise<Oid> {
  const content = Buffer.from(body);
  const oid = objectOid(kind, content);
  const folder = join(bench.worker, 'objects', oid.slice(0, 2));
  await mkdir(folder, { recursive: true });
  const whole = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
  await writeFile(join(folder, oid.slice(2)), deflateSync(whole));
  return oid;
}

async function rawTree(
  entries: readonly (readonly [mode: string, name: string | Buffer, oid: Oid])[],
): Promise<Oid> {
  const parts = entries.map(([mode, name, oid]) =>
    Buffer.concat([Buffer.from(`${mode} `), Buffer.from(name), Buffer.from([0]), Buffer.from(oid, 'hex')]),
  );
  return await raw('tree', Buffer.concat(parts));
}

async function rawCommit(tree: Oid, parents: readonly Oid[] = [bench.base]): Promise<Oid> {
  const lines = parents.map((parent) => `parent ${parent}\n`).join('');
  return await raw(
    'commit',
    `tree ${tree}\n${lines}author w <w@w> 1 +0000\ncommitter w <w@w> 1 +0000\n\nwork\n`,
  );
}

/** A bundle written by hand, so that it may be anything. */
async function bundle(commit: Oid, objects: readonly Oid[], header?: string): Promise<string> {
  const call = {
    args: ['pack-objects', '--stdout', '--quiet'],
    gitDir: bench.worker,
    input: `${objects.join('\n')}\n`,
  };
  const pack = await git(call);
  const head = header ?? `# v2 git bundle\n-${bench.base} base\n${commit} ${handoverRef}\n\n`;
  const file = join(bench.folder, 'tree.bundle');
  await writeFile(file, Buffer.concat([Buffer.from(head), pack]));
  return file;
}

async function take(file: string, limits: Partial<ImportLimits> = {}) {
  const scratch = join(bench.folder, 'scratch.git');
  const result = await importBundle(bench.clone, { file, base: bench.base, scratch, limits });
  expect(existsSync(scratch)).toBe(false);
  return result;
}

/** A tree on top of nothing but one entry. */
async function takeEntry(mode: string, name: string | Buffer, limits: Partial<ImportLimits> = {}) {
  const blob = await raw('blob', 'content');
  const tree = await rawTree([[mode, name, blob]]);
  const commit = await rawCommit(tree);
  const result = await take(await bundle(commit, [commit, tree, blob]), limits);
  expect(await bench.clone.objects.exists(tree)).toBe(result.kind === 'imported');
  return result;
}

describe('an honest bundle', () => {
  it('gives its tree, with what changed, and leaves nothing else', async () => {
    const files = { ...baseFiles, 'src/b.ts': `${baseFiles['src/b.ts']}three\n`, 'test/new.ts': 'new\n' };
    const commit = await commitFiles(bench.worker, files, { parents: [bench.base], ref: handoverRef });
    const file = join(bench.folder, 'real.bundle');
    await git({
      args: ['bundle', 'create', '--quiet', file, handoverRef, `^${bench.base}`],
      gitDir: bench.worker,
    });
    const result = await take(file);
    expect(result).toMatchObject({
      kind: 'imported',
      commit,
      hazards: [],
      changes: [
        { path: 'src/b.ts', before: { mode: '100644' }, after: { mode: '100644' } },
        {
          path: 'test/new.ts',
          before: null,
          after: { mode: '100644', oid: objectOid('blob', Buffer.from('new\n')) },
        },
      ],
    });
    if (result.kind !== 'imported') return;
    const entries = await bench.clone.objects.readTree(result.tree);
    expect(entries.map(({ path }) => path)).toEqual(['README.md', 'src/a.ts', 'src/b.ts', 'test/new.ts']);
    for (const { oid } of entries) expect(await bench.clone.objects.exists(oid)).toBe(true);
    expect(await bench.clone.objects.exists(commit)).toBe(false);
  });

  it('may change nothing, and may remove everything', async () => {
    const same = await commitFiles(bench.worker, baseFiles, { parents: [bench.base] });
    expect(await take(await bundle(same, [same]))).toMatchObject({ kind: 'imported', changes: [] });
    const tree = await rawTree([]);
    const empty = await rawCommit(tree);
    const result = await take(await bundle(empty, [empty, tree]));
    expect(result.kind === 'imported' && result.changes.map(({ path }) => path)).toEqual([
      'README.md',
      'src/a.ts',
      'src/b.ts',
    ]);
  });

  it('brings nothing along that its tree does not name', async () => {
    const blob = await raw('blob', 'wanted');
    const stowaway = await raw('blob', 'stowaway');
    const hidden = await rawTree([['100644', 'x', stowaway]]);
    const other = await rawCommit(hidden);
    const tree = await rawTree([['100644', 'a', blob]]);
    const commit = await rawCommit(tree);
    const file = await bundle(commit, [commit, tree, blob, stowaway, hidden, other]);
    expect(await take(file)).toMatchObject({ kind: 'imported', tree });
    const there = await Promise.all(
      [tree, blob, stowaway, hidden, other, commit].map((oid) => bench.clone.objects.exists(oid)),
    );
    expect(there).toEqual([true, true, false, false, false, false]);
  });

  it('shows symlinks and gitlinks as hazards', async () => {
    expect(await takeEntry('120000', 'link')).toMatchObject({ hazards: [{ path: 'link', what: 'symlink' }] });
    expect(await takeEntry('160000', 'module')).toMatchObject({
      hazards: [{ path: 'module', what: 'gitlink' }],
    });
  });
});

describe('a hostile tree', { timeout: 120_000 }, () => {
  it.each([
    '..',
    '.',
    '.git',
    '.GIT',
    '.Git ',
    '.git.',
    'git~1',
    'GIT~2',
    '.git::$INDEX_ALLOCATION',
    '.g\u200cit',
    '\ufeff.git',
    'a\\b',
    'a/b',
    'line\nend',
    'x'.repeat(256),
  ])('is refused for the name %j', async (name) => {
    expect(await takeEntry('100644', name)).toMatchObject({ kind: 'refused' });
  });

  it('is refused for a name that is not UTF-8', async () => {
    const name = Buffer.from([0x61, 0xff]);
    expect(await takeEntry('100644', name)).toMatchObject({ kind: 'refused', reason: 'tree-name' });
  });

  it.each(['100666', '0100644', '000000', '777'])('is refused for the mode %s', async (mode) => {
    expect(await takeEntry(mode, 'a')).toMatchObject({ kind: 'refused' });
  });

  it.each([
    ['case', 'Src', 'src'],
    ['composition', 'e\u0301', '\u00e9'],
  ])('is refused for twins that differ in %s', async (_what, left, right) => {
    const blob = await raw('blob', 'x');
    const names = [left, right].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const tree = await rawTree(names.map((name) => ['100644', name, blob] as const));
    const commit = await rawCommit(tree);
    const result = await take(await bundle(commit, [commit, tree, blob]));
    expect(result).toMatchObject({ kind: 'refused', reason: 'tree-twins' });
  });

  it('is refused for one name twice', async () => {
    const blob = await raw('blob', 'x');
    const tree = await rawTree([
      ['100644', 'a', blob],
      ['100644', 'a', blob],
    ]);
    const commit = await rawCommit(tree);
    expect(await take(await bundle(commit, [commit, tree, blob]))).toMatchObject({ kind: 'refused' });
  });

  it('is refused for a missing file, a missing folder and a folder that is a file', async () => {
    const blob = await raw('blob', 'x');
    const absent = '1'.repeat(40);
    for (const [mode, oid] of [
      ['100644', absent],
      ['40000', absent],
      ['40000', blob],
      ['100644', objectOid('tree', Buffer.alloc(0))],
    ] as const) {
      const tree = await rawTree([[mode, 'a', oid]]);
      const commit = await rawCommit(tree);
      expect(await take(await bundle(commit, [commit, tree, blob]))).toMatchObject({ kind: 'refused' });
      expect(await bench.clone.objects.exists(tree)).toBe(false);
    }
  });

  it('is refused when folders are nested or named without end', async () => {
    let tree = await rawTree([['100644', 'leaf', await raw('blob', 'x')]]);
    const all = [await raw('blob', 'x'), tree];
    for (let depth = 0; depth < 80; depth += 1) {
      tree = await rawTree([['40000', 'd', tree]]);
      all.push(tree);
    }
    const deep = await rawCommit(tree);
    expect(await take(await bundle(deep, [deep, ...all]))).toMatchObject({
      kind: 'refused',
      reason: 'tree-shape',
    });
    let wide = all[1] ?? '';
    const widths = [all[0] ?? '', wide];
    for (let level = 0; level < 10; level += 1) {
      const inside = wide;
      wide = await rawTree([...'abcdefghij'].map((name) => ['40000', name, inside] as const));
      widths.push(wide);
    }
    const bomb = await rawCommit(wide);
    const result = await take(await bundle(bomb, [bomb, ...widths]));
    expect(result).toMatchObject({ kind: 'refused', reason: 'tree-shape' });
  });
});

describe('a hostile commit or header', { timeout: 120_000 }, () => {
  it('is refused unless the base is its only parent', async () => {
    const tree = await rawTree([['100644', 'a', await raw('blob', 'x')]]);
    const objects = [tree, await raw('blob', 'x')];
    const orphan = await rawCommit(tree, []);
    const merge = await rawCommit(tree, [bench.base, bench.base]);
    const other = await rawCommit(tree, [orphan]);
    expect(await take(await bundle(orphan, [orphan, ...objects]))).toMatchObject({ reason: 'commit' });
    expect(await take(await bundle(merge, [merge, ...objects]))).toMatchObject({ kind: 'refused' });
    expect(await take(await bundle(other, [other, orphan, ...objects]))).toMatchObject({ reason: 'commit' });
    expect(await take(await bundle(tree, objects))).toMatchObject({ reason: 'commit' });
    expect(await take(await bundle('3'.repeat(40), objects))).toMatchObject({ reason: 'commit' });
  });

  it('is refused for any other header than the one that was agreed on', async () => {
    const tree = await rawTree([]);
    const commit = await rawCommit(tree);
    const good = `-${bench.base} base\n${commit} ${handoverRef}\n`;
    const headers = {
      'bundle-header': [
        'not a bundle\n\n',
        `# v4 git bundle\n${good}\n`,
        `# v3 git bundle\n@filter=blob:none\n${good}\n`,
        `# v2 git bundle\n@object-format=sha1\n${good}\n`,
        `# v3 git bundle\n@object-format=sha256\n${good}\n`,
        `# v2 git bundle\n${`-${'a'.repeat(40)}\n`.repeat(200)}\n`,
      ],
      'bundle-prerequisite': [
        `# v2 git bundle\n${commit} ${handoverRef}\n\n`,
        `# v2 git bundle\n-${'a'.repeat(40)}\n${commit} ${handoverRef}\n\n`,
        `# v2 git bundle\n-${'a'.repeat(40)}\n${good}\n`,
        `# v2 git bundle\n-${bench.base}x\n${commit} ${handoverRef}\n\n`,
      ],
      'bundle-refs': [
        `# v2 git bundle\n-${bench.base}\n\n`,
        `# v2 git bundle\n${good}${commit} refs/heads/main\n\n`,
        `# v2 git bundle\n-${bench.base}\n${commit} refs/heads/main\n\n`,
        `# v2 git bundle\n-${bench.base}\n${commit.toUpperCase()} ${handoverRef}\n\n`,
      ],
    };
    for (const [reason, texts] of Object.entries(headers)) {
      for (const text of texts) {
        expect(await take(await bundle(commit, [commit, tree], text))).toMatchObject({
          kind: 'refused',
          reason,
        });
      }
    }
    const fine = `# v3 git bundle\n@object-format=sha1\n${good}\n`;
    expect(await take(await bundle(commit, [commit, tree], fine))).toMatchObject({ kind: 'imported' });
  });

  it('is refused when the base is unknown or the pack is cut off, damaged or followed by something', async () => {
    const tree = await rawTree([]);
    const commit = await rawCommit(tree);
    const file = await bundle(commit, [commit, tree]);
    const whole = await readFile(file);
    const flipped = Buffer.from(whole);
    flipped[whole.length - 30] = (flipped[whole.length - 30] ?? 0) ^ 0xff;
    for (const bytes of [
      whole.subarray(0, -5),
      whole.subarray(0, whole.length - 40),
      flipped,
      whole.subarray(0, 130),
    ]) {
      await writeFile(file, bytes);
      expect(await take(file)).toMatchObject({ kind: 'refused' });
    }
    const stranger = { file, base: '5'.repeat(40), scratch: join(bench.folder, 's.git') };
    expect(await importBundle(bench.clone, stranger)).toMatchObject({ kind: 'refused' });
  });
});

describe('a bomb', { timeout: 120_000 }, () => {
  it('of one endless file is refused within its limits', async () => {
    const blob = await raw('blob', Buffer.alloc(16 * 1024 * 1024));
    const tree = await rawTree([['100644', 'zeros', blob]]);
    const commit = await rawCommit(tree);
    const file = await bundle(commit, [commit, tree, blob]);
    const limits = { fileBytes: 1024 * 1024 };
    expect(await take(file, limits)).toMatchObject({ kind: 'refused', reason: 'too-large' });
    expect(await take(file, { totalBytes: 8 * 1024 * 1024 })).toMatchObject({
      kind: 'refused',
      reason: 'too-large',
    });
    expect(await bench.clone.objects.exists(blob)).toBe(false);
  });

  it('of differences that unfold without end is refused for memory', async () => {
    const commit = await rawCommit(await rawTree([]));
    const file = join(bench.folder, 'delta.bundle');
    const head = `# v2 git bundle\n-${bench.base}\n${commit} ${handoverRef}\n\n`;
    await writeFile(file, Buffer.concat([Buffer.from(head), deltaBomb(4)]));
    const limits = { memoryBytes: 192 * 1024 * 1024 };
    expect(await take(file, limits)).toMatchObject({ kind: 'refused', reason: 'limits' });
  });

  it('of too many objects or bytes is refused before it is opened', async () => {
    const blob = await writeBlob(bench.worker, 'x');
    const tree = await rawTree([['100644', 'a', blob]]);
    const commit = await rawCommit(tree);
    const file = await bundle(commit, [commit, tree, blob]);
    expect(await take(file, { objects: 2 })).toMatchObject({ reason: 'too-many-objects' });
    expect(await take(file, { bundleBytes: 50 })).toMatchObject({ reason: 'too-large' });
  });
});
