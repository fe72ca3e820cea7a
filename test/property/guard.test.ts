import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeStatic } from '../../src/guard/judge-static.ts';
import { diffSequences } from '../../src/guard/model/line-diff.ts';
import { policySchema } from '../../src/policy/policy.ts';
import { changeOf } from '../support/guard-change.ts';
import { judgeTrees, taskSpec, testParsers } from '../support/guard-judge.ts';

const titles = ['one', 'two', 'three', 'four', 'five', 'six'];
const head = "import { describe, expect, it } from 'vitest';\nimport { f } from './f.js';\n\n";
const unit = (title: string, index: number) =>
  `it('${title}', () => {\n  expect(f(${index})).toBe(${index * index});\n});\n`;
const suite = (units: readonly string[]) => `${head}${units.join('\n')}`;
const source = { 'src/f.js': 'export const f = (n) => n * n;\n' };
const tree = (units: readonly string[]) => ({ ...source, 'src/f.test.js': suite(units) });
const spec = { kind: 'tests-only' as const };

describe('the static guard', () => {
  it('finds any test unit that is deleted, emptied or renamed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.nat(5),
        fc.constantFrom('delete', 'empty', 'rename'),
        async (count, at, how) => {
          const units = titles.slice(0, count).map(unit);
          const index = at % count;
          const changed = {
            delete: '',
            empty: `it('${titles[index]}', () => {});\n`,
            rename: units[index]?.replace("it('", "it('x") ?? '',
          }[how];
          const findings = await judgeTrees(
            tree(units),
            tree(units.map((each, i) => (i === index ? changed : each))),
            { spec },
          );
          expect(findings.some(({ rule }) => rule === 'R2')).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('lets blank lines, indentation and trailing commas change in tests', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('', ' ', '\n', '\t', '  \n'), { minLength: 4, maxLength: 30 }),
        async (blanks) => {
          const before = suite(titles.map(unit));
          let at = 0;
          const after = before.replace(/(?<=[;{])\n/g, () => `\n${blanks[at++ % blanks.length]}`);
          const findings = await judgeTrees(
            { 'src/f.test.js': before },
            { 'src/f.test.js': after },
            { spec },
          );
          expect(before === after ? [] : findings).toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('lets whole new units stand anywhere between old ones', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(3), async (at) => {
        const units = titles.slice(0, 3).map(unit);
        const grown = [...units.slice(0, at), unit('fresh', 9), ...units.slice(at)];
        expect(await judgeTrees(tree(units), tree(grown), { spec })).toEqual([]);
      }),
      { numRuns: 8 },
    );
  });

  it('says the same whatever the order in which paths come, and each time', async () => {
    const base = { ...tree(titles.map(unit)), 'a.txt': '1', 'b/c.py': 'x = 1\n' };
    const now = {
      ...tree(titles.slice(1).map(unit)),
      'a.txt': '2',
      'b/c.py': 'import sys\nsys.exit(0)\n',
      '.npmrc': 'x\n',
    };
    const parsers = await testParsers();
    const policy = policySchema.parse({});
    const change = changeOf(base, now);
    const expected = judgeStatic(change, taskSpec(), policy, parsers);
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...change.changes], { minLength: change.changes.length }),
        fc.shuffledSubarray([...change.head.entries], { minLength: change.head.entries.size }),
        (changes, entries) => {
          const shuffled = { ...change, changes, head: { ...change.head, entries: new Map(entries) } };
          expect(judgeStatic(shuffled, taskSpec(), policy, parsers)).toEqual(expected);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('never throws on text that nobody would write', async () => {
    const paths = [
      'src/a.js',
      'src/a.ts',
      'a.py',
      'a.go',
      'a.rs',
      'a.java',
      'a.rb',
      'a.php',
      'a.cs',
      'tests/x.json',
      'a.test.js',
      'test_a.py',
      'a_test.go',
      'package.json',
      'Cargo.toml',
    ];
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.stringMatching(/^[{}()[\]'"`#/*=.,;:a-z0-9 \n]{0,80}$/),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), text, text, async (path, old, now) => {
        await judgeTrees({ [path]: old }, { [path]: now });
      }),
      { numRuns: 200 },
    );
  });
});

describe('line diff', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 25 });

  it('leaves equal sequences when removed and added items are taken out', () => {
    fc.assert(
      fc.property(lines, lines, (left, right) => {
        const { removed, added } = diffSequences(left, right);
        const kept = left.filter((_, index) => !removed.includes(index));
        expect(kept).toEqual(right.filter((_, index) => !added.includes(index)));
      }),
    );
  });

  it('is never longer than removing the one and adding the other, and empty for equals', () => {
    fc.assert(
      fc.property(lines, (left) => {
        expect(diffSequences(left, left)).toEqual({ removed: [], added: [] });
      }),
    );
  });
});
