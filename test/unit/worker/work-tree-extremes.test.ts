import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { git } from '../../../src/git/run-git.ts';
import { type TreeFile, writeBlob, writeTree } from '../../../src/git/write-objects.ts';
import { removeTree } from '../../../src/host/remove-tree.ts';
import { ignoredPaths } from '../../../src/worker/work-tree/ignored-paths.ts';
import { WorkTree, type WorkTreeReading } from '../../../src/worker/work-tree/work-tree.ts';

let root = '';
let work = '';
let gitDir = '';
let files: TreeFile[] = [];

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'ccd-extremes-'));
  gitDir = join(root, 'private.git');
  work = join(root, 'work');
  mkdirSync(join(work, 'src'), { recursive: true });
  await git({ args: ['init', '--quiet', '--bare', '--template=', gitDir] });
  const contents = { '.gitignore': 'junk/\n', 'src/a.txt': 'one\n', 'zz.txt': 'last\n' };
  files = [];
  for (const [path, text] of Object.entries(contents)) {
    writeFileSync(join(work, path), text);
    files.push({ path, mode: '100644', oid: await writeBlob(gitDir, text) });
  }
});
afterEach(() => removeTree(root));

async function open(limits: { maxFiles?: number } = {}): Promise<WorkTree> {
  const tree = await writeTree(gitDir, files);
  const ignored = await ignoredPaths(gitDir, tree, join(root, 'ignore'));
  return new WorkTree({ gitDir, folder: work, base: { tree, files }, laid: files, ignored, ...limits });
}

const words = ({ changed, violations }: WorkTreeReading) => ({
  changed: changed.map(({ kind, path }) => `${kind} ${path}`),
  violations: violations.map(({ code, path }) => `${code} ${path}`),
});
const python = (...lines: string[]) =>
  execFileSync('python3', ['-c', ['import os, sys', 'os.chdir(sys.argv[1])', ...lines].join('\n'), work]);

describe('a work tree that is made to hold its reader up', () => {
  it('by folders in folders without end: they are named, and the rest is read', async () => {
    python(
      'os.mkdir("n"); os.chdir("n")',
      'for _ in range(600): os.mkdir("d"); os.chdir("d")',
      'open("leaf", "w").close()',
    );
    writeFileSync(join(work, 'zz.txt'), 'edited\n');
    const { changed, violations } = words(await (await open()).read(Date.now()));
    expect(changed).toEqual(['modified zz.txt']);
    expect(violations).toEqual([`too-deep n${'/d'.repeat(60)}`]);
  });

  it('by many folders: one process answers for all of them, and is gone afterwards', async () => {
    python(
      'for at in range(300):',
      '    os.makedirs(f"m/d{at}/junk")',
      '    open(f"m/d{at}/f", "w").close(); open(f"m/d{at}/junk/x", "w").close()',
    );
    const bin = join(root, 'bin');
    const calls = join(root, 'calls');
    mkdirSync(bin);
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$$ $*" >> ${calls}\nexec ${real} "$@"\n`);
    chmodSync(join(bin, 'git'), 0o755);
    const path = process.env.PATH;
    process.env.PATH = `${bin}:${path}`;
    try {
      const reading = await (await open()).read(Date.now());
      expect(reading.changed).toHaveLength(300);
    } finally {
      process.env.PATH = path;
    }
    const asked = readFileSync(calls, 'utf8')
      .split('\n')
      .filter((line) => line.includes('check-ignore'));
    expect(asked).toHaveLength(1);
    expect(() => process.kill(Number(asked[0]?.split(' ')[0]), 0)).toThrow(/ESRCH/);
  });

  it('by more files than are taken: what base holds is read all the same, and does not look deleted', async () => {
    for (let index = 0; index < 30; index += 1) writeFileSync(join(work, `many-${index}`), 'x');
    writeFileSync(join(work, 'zz.txt'), 'edited\n');
    const { changed, violations } = words(await (await open({ maxFiles: 10 })).read(Date.now()));
    expect(violations).toEqual(['too-many-files ']);
    expect(changed.filter((line) => !line.startsWith('added many-'))).toEqual(['modified zz.txt']);
  });

  it('by a file of a terabyte, a loop of links, a socket and a pipe', async () => {
    writeFileSync(join(work, 'huge'), '');
    truncateSync(join(work, 'huge'), 2 ** 40);
    symlinkSync('loop', join(work, 'loop'));
    symlinkSync('.', join(work, 'src', 'self'));
    execFileSync('mkfifo', [join(work, 'pipe')]);
    const server = createServer().listen(join(work, 'sock'));
    await new Promise((resolve) => server.once('listening', resolve));
    const reading = words(await (await open()).read(Date.now()));
    server.close();
    expect(reading).toEqual({
      changed: ['added loop', 'added src/self'],
      violations: [
        'too-large huge',
        'symlink loop',
        'special-file pipe',
        'special-file sock',
        'symlink src/self',
      ],
    });
  });

  it('by names that a log, a shell or a terminal would obey: they are names', async () => {
    const names = ['a\nb', '##[add-mask]x', '::error::x', '\u001b[2J', '$(touch x)', '-rf', '"q\'', 'x '];
    for (const name of names) writeFileSync(join(work, name), 'x');
    const reading = await (await open()).read(Date.now());
    expect(reading.changed.map(({ path }) => path).sort()).toEqual([...names].sort());
  });
});
