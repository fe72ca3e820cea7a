import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ObjectReader, openObjects } from '../../../src/git/objects.ts';
import { git } from '../../../src/git/run-git.ts';
import { commitTree, writeBlob, writeTree } from '../../../src/git/write-objects.ts';
import { makeAgentRepository } from '../../../src/worker/work-tree/agent-repository.ts';
import { isGitName } from '../../../src/worker/work-tree/git-name.ts';
import { ignoredPaths } from '../../../src/worker/work-tree/ignored-paths.ts';
import { layTree } from '../../../src/worker/work-tree/lay-tree.ts';
import { WorkTree } from '../../../src/worker/work-tree/work-tree.ts';

const baseFiles: Record<string, { text: string; mode?: string }> = {
  'src/a.txt': { text: 'one\n' },
  'src/run.sh': { text: '#!/bin/sh\n', mode: '100755' },
  'win.txt': { text: 'crlf\r\nkept\r\n' },
  '.gitattributes': { text: '*.txt text eol=lf\n*.bin filter=evil\n*.txt ident\n' },
  '.gitignore': { text: 'node_modules/\n*.log\n!keep.log\n/out\n' },
  'sub/.gitignore': { text: 'local.tmp\n' },
  'tracked.log': { text: 'tracked although ignored\n' },
};

let root = '';
let gitDir = '';
let work = '';
let objects: ObjectReader;
let tree: WorkTree;
let base: { tree: string; commit: string };

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'ccd-worktree-'));
  gitDir = join(root, 'private.git');
  work = join(root, 'work');
  await git({ args: ['init', '--quiet', '--bare', '--template=', gitDir] });
  const files = await Promise.all(
    Object.entries(baseFiles).map(async ([path, { text, mode }]) => ({
      path,
      mode: mode ?? '100644',
      oid: await writeBlob(gitDir, text),
    })),
  );
  files.push({ path: 'link', mode: '120000', oid: await writeBlob(gitDir, 'src/a.txt') });
  files.push({ path: 'module', mode: '160000', oid: '1'.repeat(40) });
  const baseTree = await writeTree(gitDir, files);
  const person = { name: 'a', email: 'a@b.c' };
  base = {
    tree: baseTree,
    commit: await commitTree(gitDir, { tree: baseTree, parents: [], message: 'm', date: 0, person }),
  };
  objects = openObjects(gitDir);
  mkdirSync(work);
  const laid = await layTree(objects, baseTree, work);
  await makeAgentRepository(work, gitDir, base.commit);
  tree = new WorkTree({
    gitDir,
    folder: work,
    base: { tree: baseTree, files: laid },
    laid,
    ignored: await ignoredPaths(gitDir, baseTree, join(root, 'ignore')),
  });
});

afterEach(async () => {
  await objects.close();
  rmSync(root, { recursive: true, force: true });
});

const put = (path: string, text: string) => {
  mkdirSync(dirname(join(work, path)), { recursive: true });
  writeFileSync(join(work, path), text);
};
const read = () => tree.read(Date.now());
const summary = async () => {
  const { changed, violations } = await read();
  return {
    changed: changed.map(({ kind, path }) => `${kind} ${path}`),
    violations: violations.map(({ code, path }) => `${code} ${path}`),
  };
};

describe('reading a work tree', () => {
  it('finds nothing changed in a fresh one, whatever attributes say about line ends', async () => {
    expect(await read()).toEqual({ tree: base.tree, changed: [], violations: [] });
    expect(readFileSync(join(work, 'win.txt'), 'utf8')).toBe('crlf\r\nkept\r\n');
  });

  it('finds additions, edits, removals and mode changes, and builds exactly that tree', async () => {
    put('src/a.txt', 'two\n');
    put('new/deep/b.txt', 'b\r\n');
    rmSync(join(work, 'win.txt'));
    chmodSync(join(work, 'src/run.sh'), 0o644);
    const reading = await read();
    expect(reading.changed.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'added new/deep/b.txt',
      'modified src/a.txt',
      'mode src/run.sh',
      'deleted win.txt',
    ]);
    const entries = await objects.readTree(reading.tree);
    expect(entries.map(({ path }) => path).sort()).toContain('new/deep/b.txt');
    const blob = reading.changed.find(({ path }) => path === 'new/deep/b.txt')?.blob ?? '';
    expect((await objects.readBlob(blob)).toString()).toBe('b\r\n');
    await git({ gitDir, args: ['fsck', '--strict', reading.tree] });
  });

  it('leaves junk out by the rules of base alone', async () => {
    put('node_modules/x/index.js', 'junk');
    put('debug.log', 'junk');
    put('keep.log', 'wanted');
    put('out', 'junk');
    put('sub/local.tmp', 'junk');
    put('tracked.log', 'edited');
    put('.gitignore', 'src/\n');
    put('src/c.txt', 'not hidden by a rule of the agent');
    expect((await summary()).changed).toEqual([
      'modified .gitignore',
      'added keep.log',
      'added src/c.txt',
      'modified tracked.log',
    ]);
  });

  it('sees an edit that keeps size and time stamps', async () => {
    const past = new Date(Date.now() - 60_000);
    put('src/a.txt', 'aaa\n');
    await read();
    put('src/a.txt', 'bbb\n');
    execFileSync('touch', ['-d', past.toISOString(), join(work, 'src/a.txt')]);
    const { changed } = await read();
    expect((await objects.readBlob(changed[0]?.blob ?? '')).toString()).toBe('bbb\n');
  });

  it('reports a link as a link and reads nothing through it', async () => {
    const secret = join(root, 'secret');
    writeFileSync(secret, 'canary');
    symlinkSync(secret, join(work, 'src/leak'));
    symlinkSync('/proc/self', join(work, 'procs'));
    rmSync(join(work, 'src/a.txt'));
    symlinkSync('/etc/passwd', join(work, 'src/a.txt'));
    const reading = await read();
    expect(reading.violations.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'symlink procs',
      'symlink src/a.txt',
      'symlink src/leak',
    ]);
    for (const { blob } of reading.changed) {
      expect((await objects.readBlob(blob ?? '')).toString()).not.toContain('canary');
    }
    const target = reading.changed.find(({ path }) => path === 'src/leak');
    expect((await objects.readBlob(target?.blob ?? '')).toString()).toBe(secret);
  });

  it('never reads through a folder that becomes a link while it is read', async () => {
    const outside = join(root, 'outside');
    mkdirSync(join(outside, 'x'), { recursive: true });
    writeFileSync(join(outside, 'x', 'environ'), 'canary-outside');
    put('x/environ', 'mine');
    const swapping = spawn(
      'sh',
      ['-c', 'while :; do mv x x-old; ln -s "$0" x; rm x; mv x-old x; done', join(outside, 'x')],
      { cwd: work, stdio: 'ignore' },
    );
    const ended = once(swapping, 'exit');
    for (let round = 0; round < 60; round += 1) {
      const reading = await read();
      for (const { blob } of reading.changed) {
        if (blob !== null) expect((await objects.readBlob(blob)).toString()).not.toContain('canary-outside');
      }
    }
    swapping.kill('SIGKILL');
    await ended;
  });

  it('takes nothing of any .git but says where one was', async () => {
    put('.git/hooks/pre-commit', 'evil');
    put('src/.git/config', 'evil');
    put('lib/.GIT/config', 'evil');
    put('git~1', 'evil');
    put('src/.git ', 'evil');
    const { changed, violations } = await summary();
    expect(changed).toEqual([]);
    expect(violations.sort()).toEqual([
      'nested-git git~1',
      'nested-git lib/.GIT',
      'nested-git src/.git',
      'nested-git src/.git ',
    ]);
  });

  it('is not held up by pipes and does not read devices', async () => {
    execFileSync('mkfifo', [join(work, 'src/pipe')]);
    rmSync(join(work, 'src/a.txt'));
    execFileSync('mkfifo', [join(work, 'src/a.txt')]);
    const { changed, violations } = await summary();
    expect(changed).toEqual(['deleted src/a.txt']);
    expect(violations).toEqual(['special-file src/a.txt', 'special-file src/pipe']);
  });

  it('names twins that some file systems would take for one', async () => {
    put('SRC/b.txt', 'x');
    put('Win.txt', 'x');
    put('caf\u00e9', 'x');
    put('cafe\u0301', 'x');
    expect((await summary()).violations.sort()).toEqual(
      ['case-twin SRC/b.txt', 'case-twin Win.txt', 'case-twin caf\u00e9'].sort(),
    );
  });

  it('leaves out names that are no text', async () => {
    writeFileSync(Buffer.concat([Buffer.from(`${work}/bad-`), Buffer.from([0xff, 0xfe])]), 'x');
    expect(await summary()).toEqual({ changed: [], violations: ['unreadable-name ?'] });
  });

  it('bounds the size of files and their number', async () => {
    const small = new WorkTree({
      gitDir,
      folder: work,
      base: { tree: base.tree, files: await objects.readTree(base.tree) },
      laid: await objects.readTree(base.tree),
      ignored: () => ({ junk: async () => new Set(), close: async () => undefined }),
      maxFileBytes: 100,
      maxFiles: 40,
    });
    put('big', 'x'.repeat(101));
    for (let index = 0; index < 60; index += 1) put(`many/${String(index).padStart(2, '0')}`, 'x');
    const { violations } = await small.read(Date.now());
    expect(violations.map(({ code }) => code).sort()).toEqual(['too-large', 'too-many-files']);
  });

  it('keeps a submodule that base has as it is', async () => {
    put('module/inside.txt', 'x');
    expect(await summary()).toEqual({ changed: [], violations: [] });
  });

  it('takes names that look like patterns or options for names', async () => {
    for (const name of [':(top)x', ':!x', '--stdin', '*', '!keep', 'a\nb', 'q"\\']) put(name, 'x');
    expect((await summary()).changed.length).toBe(7);
  });

  it('does not mind hard links', async () => {
    linkSync(join(work, 'src/a.txt'), join(work, 'src/same.txt'));
    expect((await summary()).changed).toEqual(['added src/same.txt']);
  });
});

describe('the agent may do what it likes to its own repository', () => {
  it.each([
    [
      'hooks',
      'mkdir -p .git/hooks; for h in pre-commit post-checkout post-index-change fsmonitor-watchman; do echo "#!/bin/sh\ntouch $CANARY" > .git/hooks/$h; chmod +x .git/hooks/$h; done',
    ],
    ['fsmonitor', 'git config core.fsmonitor "touch $CANARY; false"'],
    [
      'filters',
      'git config filter.evil.clean "touch $CANARY; cat"; git config filter.evil.smudge "touch $CANARY; cat"; git config filter.evil.process "touch $CANARY"; echo "* filter=evil" > .gitattributes; echo x > a.bin',
    ],
    [
      'insteadOf',
      'git config url."ext::sh -c touch% $CANARY".insteadOf file://; git config protocol.ext.allow always',
    ],
    [
      'aliases, pagers and drivers',
      'git config core.pager "touch $CANARY"; git config diff.external "touch $CANARY"; git config core.sshCommand "touch $CANARY"; git config core.gitProxy "touch $CANARY"; git config core.editor "touch $CANARY"; git config gc.auto 1',
    ],
    [
      'a worktree that points elsewhere',
      'git config core.worktree /; git config core.bare true; git config include.path /etc/passwd',
    ],
    ['a .git file instead of a folder', 'rm -rf .git; echo "gitdir: /etc" > .git'],
    ['a ruined repository', 'rm -rf .git/objects; echo garbage > .git/HEAD; ln -sf /etc/passwd .git/config'],
    [
      'alternates and replace refs',
      'echo /etc > .git/objects/info/alternates 2>/dev/null; mkdir -p .git/refs/replace; git commit -qam "[skip ci] closes #1" || true; git merge -s ours HEAD || true',
    ],
  ])('%s', async (_name, script) => {
    const canary = join(root, 'canary');
    execFileSync('sh', ['-c', script], {
      cwd: work,
      env: { ...process.env, CANARY: canary, HOME: root },
      stdio: 'ignore',
    });
    rmSync(canary, { force: true });
    put('src/a.txt', 'changed\n');
    const { changed, tree: result } = await read();
    expect(changed.map(({ path }) => path)).toContain('src/a.txt');
    expect(await objects.exists(result)).toBe(true);
    expect(() => readFileSync(canary)).toThrow();
  });
});

describe('names that are .git somewhere', () => {
  it.each([
    '.git',
    '.GIT',
    '.Git ',
    '.git.',
    'GIT~1',
    'git~2',
    '.git::$INDEX_ALLOCATION',
    '.g\u200cit',
    '.git\u200d',
  ])('%j', (name) => {
    expect(isGitName(name)).toBe(true);
  });
  it.each(['.github', '.gitignore', 'git', 'agit', '.gitx', '.gi'])('not %j', (name) => {
    expect(isGitName(name)).toBe(false);
  });
});
