import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { type CorpusCase, entryOf, readCases, specOf } from '../../support/guard-corpus.ts';
import { judged, patience } from './judged.ts';
import type { Files } from './two-trees.ts';

vi.setConfig({ testTimeout: patience });

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../../fixtures/guard-corpus');
const cases = new Map((await readCases(folder)).map((each) => [each.id, each]));

function filesOf(tree: CorpusCase['base']): Files {
  return Object.fromEntries(
    Object.entries(tree).map(([path, content]) => {
      const { mode, bytes } = entryOf(content);
      return [path, { content: bytes, mode }];
    }),
  );
}

/** Cases of the corpus that execution alone decides, static rules having no say. */
test.each([
  ['cheat-js-A2-delete-case', ['R5 target-not-found']],
  ['cheat-js-A4-emptied', ['R5 target-passes-on-base']],
  ['cheat-js-B1-skip', ['R5 target-not-run']],
  ['cheat-js-C7-catch', ['R5 target-passes-on-base']],
  ['cheat-js-C8-await-dropped', ['R5 target-passes-on-base']],
  ['cheat-js-E2-or-true', ['R5 target-fails']],
  ['cheat-js-F4-exit-zero', ['R4 test-lost', 'R4 test-lost', 'R4 test-lost', 'R5 target-not-found']],
  ['honest-js-fix', []],
  ['honest-js-helper-file', []],
  ['honest-js-path-with-spaces', []],
  ['honest-js-rename-module', []],
])('%s', async (id, expected) => {
  const each = cases.get(id);
  if (each === undefined) throw new Error(`${id} is not in the corpus`);
  const { judgement, found } = await judged(filesOf(each.base), filesOf(each.head), specOf(each));
  expect(judgement.kind).toBe('judged');
  expect(found).toEqual(expected);
});
