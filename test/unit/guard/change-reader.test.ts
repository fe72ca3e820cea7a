import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readChange } from '../../../src/git/change-reader.ts';
import { judgeStatic } from '../../../src/guard/judge-static.ts';
import { changeOf } from '../../support/guard-change.ts';
import {
  type CorpusCase,
  corpusPolicy,
  judgeCase,
  readCase,
  readCases,
  specOf,
  writeRepository,
} from '../../support/guard-corpus.ts';
import { testParsers } from '../../support/guard-judge.ts';

const odd: CorpusCase = {
  id: 'odd',
  language: 'none',
  class: 'none',
  level: 'diff',
  spec: { kind: 'fix', allowed_paths: ['src/'], target_tests: [], max_prod_lines: 60, allow: {} },
  expected: { verdict: 'pass' },
  base: {
    'a.txt': 'one\n',
    'gone.txt': 'x',
    'same.txt': 'same\n',
    'run.sh': { text: '#!/bin/sh\n', mode: '100644' },
  },
  head: {
    'a.txt': 'two',
    'same.txt': 'same\n',
    'run.sh': { text: '#!/bin/sh\n', mode: '100755' },
    'line\nbreak': 'x\n',
    'été/ü.txt': 'ü\n',
    link: { symlink: 'a.txt' },
    sub: { gitlink: '1'.repeat(40) },
    'bytes.bin': { base64: 'AAH/' },
  },
};

let repo = '';
beforeAll(async () => {
  repo = await writeRepository([odd]);
});
afterAll(() => rmSync(repo, { recursive: true, force: true }));

const git = (...args: string[]) =>
  execFileSync('git', ['--git-dir', repo, ...args], { encoding: 'utf8' }).trim();

describe('reading a change from git objects', () => {
  it('gives the same plain data as the trees themselves', async () => {
    const change = await readCase(repo, odd);
    if (typeof change === 'string') throw new Error(change);
    const expected = changeOf(odd.base, odd.head);
    expect(change.changes.map(({ path }) => path)).toEqual(expected.changes.map(({ path }) => path));
    for (const [index, each] of change.changes.entries()) {
      const other = expected.changes[index];
      for (const side of ['base', 'head'] as const) {
        expect([each[side]?.oid, each[side]?.mode, each[side]?.text]).toEqual([
          other?.[side]?.oid,
          other?.[side]?.mode,
          other?.[side]?.text,
        ]);
      }
    }
    expect(change.changes.find(({ path }) => path === 'bytes.bin')?.head?.text).toBeNull();
    expect(change.changes.find(({ path }) => path === 'sub')?.head?.bytes).toBeNull();
  });

  it('lists paths that are not UTF-8 as unreadable, and the judge refuses them', async () => {
    const input = `commit refs/x\ncommitter a <a@example.test> 0 +0000\ndata 0\ndeleteall\nM 100644 inline "bad\\351.txt"\ndata 1\nx\n\n`;
    execFileSync('git', ['--git-dir', repo, 'fast-import', '--quiet'], { input });
    const read = await readChange(repo, 'refs/case/odd/base', 'refs/x');
    if (read.kind !== 'read') throw new Error(read.reason);
    expect(read.change.unreadable).toEqual([{ path: 'bad\\xe9.txt', why: 'the path is not UTF-8' }]);
    const outcome = judgeStatic(read.change, specOf(odd), corpusPolicy, await testParsers());
    expect(
      outcome.kind === 'judged' &&
        outcome.findings.some(({ rule, class: word }) => rule === 'R0' && word === 'unreadable'),
    ).toBe(true);
  });

  it('cannot judge unknown revisions, folders without git, and what is beyond its caps', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'no-git-'));
    try {
      expect(await readChange(dir, 'a', 'b')).toMatchObject({ kind: 'could-not-judge' });
    } finally {
      rmSync(dir, { recursive: true });
    }
    const [base, head] = ['refs/case/odd/base', 'refs/case/odd/head'];
    expect(await readChange(repo, base, 'nowhere')).toMatchObject({
      kind: 'could-not-judge',
      reason: expect.stringContaining('nowhere'),
    });
    expect(await readChange(repo, base, '--help')).toMatchObject({ kind: 'could-not-judge' });
    expect(await readChange(repo, base, head, { limits: { maxPaths: 2 } })).toMatchObject({
      kind: 'could-not-judge',
      reason: expect.stringContaining('paths'),
    });
    expect(await readChange(repo, base, head, { limits: { maxBytes: 4 } })).toMatchObject({
      kind: 'could-not-judge',
      reason: expect.stringContaining('bytes'),
    });
  });

  it('cannot judge when an object is missing, and blames nobody', async () => {
    const other = await writeRepository([odd]);
    try {
      execFileSync('git', ['--git-dir', other, 'unpack-objects', '-q'], {
        input: execFileSync('git', ['--git-dir', repo, 'pack-objects', '--all', '--stdout', '-q'], {
          input: '',
        }),
      });
      const oid = execFileSync('git', ['--git-dir', other, 'rev-parse', 'refs/case/odd/head:a.txt'], {
        encoding: 'utf8',
      }).trim();
      execFileSync('sh', ['-c', `rm -f ${other}/objects/pack/*`]);
      execFileSync('git', ['--git-dir', other, 'unpack-objects', '-q'], {
        input: execFileSync('git', ['--git-dir', repo, 'pack-objects', '--all', '--stdout', '-q'], {
          input: '',
        }),
      });
      unlinkSync(join(other, 'objects', oid.slice(0, 2), oid.slice(2)));
      const read = await readChange(other, 'refs/case/odd/base', 'refs/case/odd/head');
      expect(read).toMatchObject({ kind: 'could-not-judge', reason: expect.stringContaining('missing') });
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  });

  it('is not moved by attributes, replace refs or the configuration of the repository', async () => {
    const before = await readCase(repo, odd);
    git('config', 'diff.renames', 'copies');
    git('config', 'core.attributesFile', '/nowhere');
    git(
      'replace',
      git('rev-parse', 'refs/case/odd/head:a.txt'),
      git('rev-parse', 'refs/case/odd/base:a.txt'),
    );
    expect(await readCase(repo, odd)).toEqual(before);
  });

  it('judges a corpus case the same way through git as in memory', async () => {
    const each = (await readCases('fixtures/guard-corpus')).find(({ id }) => id === 'cheat-py-A6-shadow');
    if (each === undefined) throw new Error('no such case');
    const own = await writeRepository([each]);
    try {
      const result = await judgeCase(own, each, await testParsers());
      expect(result.findings.map(({ class: word }) => word)).toContain('shadowed-by-redefinition');
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
  });
});
