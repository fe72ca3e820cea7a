import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePatch } from '../../../../src/local/pages/diff/parse-patch.ts';
import { layGraph } from '../../../../src/local/pages/graph/lanes.ts';
import { ansiLine } from '../../../../src/local/pages/log/ansi.ts';
import { foldLog } from '../../../../src/local/pages/log/fold-log.ts';

/** Histories as git lists them: each commit before its parents. */
const history = fc
  .array(fc.array(fc.nat(20), { maxLength: 3 }), { minLength: 1, maxLength: 25 })
  .map((rows) =>
    rows.map((steps, index) => ({
      oid: `c${index}`,
      parents: [...new Set(steps.map((step) => index + 1 + step))].map((at) => `c${at}`),
    })),
  );

describe('layGraph', () => {
  it('draws lines that go on from row to row, and to every parent', () => {
    fc.assert(
      fc.property(history, (commits) => {
        const rows = layGraph(commits);
        const drawn = new Map<number, string>();
        rows.forEach((row, index) => {
          const { oid, parents } = commits[index]!;
          expect(new Set(row.above.map((edge) => edge.from))).toEqual(new Set(drawn.keys()));
          for (const edge of row.above)
            expect(edge.to).toBe(drawn.get(edge.from) === oid ? row.lane : edge.from);
          expect([...drawn.values()].filter((wanted) => wanted === oid).length).toBe(
            row.above.filter((edge) => edge.to === row.lane).length,
          );
          const passing = [...drawn].filter(([, wanted]) => wanted !== oid);
          drawn.clear();
          for (const [lane, wanted] of passing) {
            expect(row.below).toContainEqual({ from: lane, to: lane });
            drawn.set(lane, wanted);
          }
          const leaving = row.below.slice(passing.length);
          expect(leaving.length).toBe(parents.length);
          leaving.forEach((edge, at) => {
            expect(edge.from).toBe(row.lane);
            expect(drawn.get(edge.to) ?? parents[at]).toBe(parents[at]);
            drawn.set(edge.to, parents[at]!);
          });
        });
      }),
    );
  });

  it('keeps a straight history in one lane and gives a merge a second', () => {
    const rows = layGraph([
      { oid: 'm', parents: ['a', 'b'] },
      { oid: 'b', parents: ['r'] },
      { oid: 'a', parents: ['r'] },
      { oid: 'r', parents: [] },
    ]);
    expect(rows.map((row) => row.lane)).toEqual([0, 1, 0, 1]);
  });
});

describe('parsePatch', () => {
  it('numbers lines on either side', () => {
    const lines = parsePatch('@@ -3,2 +3,3 @@ f()\n a\n-b\n+c\n+d\n\\ No newline at end of file');
    expect(lines.map(({ kind, before, after, text }) => [kind, before, after, text])).toEqual([
      ['hunk', null, null, '@@ -3,2 +3,3 @@ f()'],
      ['same', 3, 3, 'a'],
      ['removed', 4, null, 'b'],
      ['added', null, 4, 'c'],
      ['added', null, 5, 'd'],
      ['note', null, null, 'No newline at end of file'],
    ]);
  });
});

describe('logs', () => {
  it('fold groups, know errors, and drop the time stamps', () => {
    const at = '2026-01-01T00:00:00.0000000Z ';
    expect(
      foldLog([
        `${at}a`,
        `${at}##[group]g`,
        `${at}b`,
        `${at}##[endgroup]`,
        `${at}##[error]c`,
        `${at}##[group]open`,
        'd',
      ]),
    ).toEqual([
      { kind: 'line', number: 1, text: 'a', tone: null },
      { kind: 'group', title: 'g', lines: [{ kind: 'line', number: 3, text: 'b', tone: null }] },
      { kind: 'line', number: 5, text: 'c', tone: 'error' },
      { kind: 'group', title: 'open', lines: [{ kind: 'line', number: 7, text: 'd', tone: null }] },
    ]);
  });

  it('keep colours, drop every other escape, and stay escaped', () => {
    expect(String(ansiLine('\u001b[1;31m<b>\u001b[0m \u001b[2J\u001b]0;title\u0007ok\u001b[38;5;9m!'))).toBe(
      '<span class="ansi1 ansi-bold">&lt;b&gt;</span> ok!',
    );
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('\u001b', '[', ']', '3', '1', ';', 'm', '\u0007', '<', '"', '\\', 'x'),
        }),
        (text) => {
          expect(String(ansiLine(text)).replace(/<span class="[a-z0-9 -]+">|<\/span>/g, '')).not.toMatch(
            /[<"\u001b\u0007]/,
          );
        },
      ),
    );
  });
});
