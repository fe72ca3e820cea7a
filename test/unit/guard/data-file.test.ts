import { describe, expect, it } from 'vitest';
import { judgeTrees } from '../../support/guard-judge.ts';

const snap = 'exports[`a 1`] = `"x"`;\n';
const spec = { kind: 'tests-only' as const };

describe('test data only grows', () => {
  it.each([
    ['tests/data/rows.json', '[{"a":1},{"a":2}]', '[{"a":1},{"a":2},{"a":3}]', true],
    ['tests/data/rows.json', '[{"a":1},{"a":2}]', '[\n  {"a": 1},\n  {"a": 2}\n]', true],
    ['tests/data/rows.json', '[{"a":1},{"a":2}]', '[{"a":1}]', false],
    ['tests/data/rows.json', '[{"a":1},{"a":2}]', '[{"a":1},{"a":3}]', false],
    ['tests/data/map.json', '{"x":{"in":1}}', '{"x":{"in":1},"y":{"in":2}}', true],
    ['tests/data/map.json', '{"x":{"in":1}}', '{"x":{"in":1,"out":2}}', false],
    ['tests/data/list.yml', '- a\n- b\n', '- a\n- b\n- c\n', true],
    ['tests/data/list.yml', '- a\n- b\n', '- b\n', false],
    ['tests/data/rows.csv', 'a,1\n', 'a,1\nb,2\n', true],
    ['tests/data/rows.csv', 'a,1\n', 'b,2\na,1\n', false],
    ['testdata/poem.golden', 'a\n', 'a\nb\n', false],
    ['src/__snapshots__/a.test.js.snap', snap, `${snap}\nexports[\`b 1\`] = \`"y"\`;\n`, true],
    ['src/__snapshots__/a.test.js.snap', snap, snap.replace('x', 'y'), false],
    ['src/__snapshots__/a.test.js.snap', snap, `${snap}${snap}`, false],
    ['tests/check.sh', 'run a\n', 'run a\nrun b\n', true],
    ['tests/check.sh', 'run a\n', 'exit 0\nrun a\n', false],
  ])('%s: %j to %j: %s', async (path, old, now, fine) => {
    const findings = await judgeTrees({ [path]: old }, { [path]: now }, { spec });
    expect(findings.map(({ rule }) => rule)).toEqual(fine ? [] : ['R2']);
  });
});
