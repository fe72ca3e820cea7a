import { describe, expect, test } from 'vitest';
import { readFilePath, readPathPattern, readTestId } from '../../../src/spec/paths.ts';

describe('path patterns', () => {
  test.each([
    ['src/a.ts', 'src/a.ts'],
    ['./src/', 'src/'],
    ['././a', 'a'],
    ['src/**', 'src/'],
    ['src/*.ts', 'src/*.ts'],
    ['docs/with blank #1 100%.md', 'docs/with blank #1 100%.md'],
    ['.github/x.yml', '.github/x.yml'],
    ['app/[id].tsx', 'app/[id].tsx'],
    ['präfix/ä.ts', 'präfix/ä.ts'],
  ])('%s is %s', (text, path) => {
    expect(readPathPattern(text)).toEqual({ kind: 'path', path });
  });

  test.each([
    '',
    '.',
    './',
    '/',
    '/etc/passwd',
    '..',
    '../x',
    'a/../b',
    'a/./b',
    'a//b',
    'C:/x',
    'a\\b',
    'a\nb',
    'a\u0000b',
    'a\u0085b',
    'a\u202eb',
    'a\u200bb',
    'a\ud800b',
    'a\u0308',
    '.git/config',
    'x/.GIT/hooks',
    '-rf',
    '!a',
    ':(top)a',
    '~/a',
    ' a',
    'a /b',
    'src/**/x.ts',
    '**',
    'x'.repeat(1025),
  ])('%j is refused', (text) => {
    expect(readPathPattern(text).kind).toBe('refused');
  });
});

test('a file is no folder', () => {
  expect(readFilePath('src/').kind).toBe('refused');
});

describe('test ids', () => {
  test('path and name', () => {
    expect(readTestId('./test/a.test.ts :: adds :: twice ')).toEqual({
      kind: 'path',
      path: 'test/a.test.ts::adds :: twice',
    });
  });

  test.each(['adds', 'test/a.ts', 'test/a.ts::', '::adds', '../a.ts::adds', 'test/::adds', 'a.ts::x\u0007'])(
    '%j is refused',
    (text) => {
      expect(readTestId(text).kind).toBe('refused');
    },
  );
});
