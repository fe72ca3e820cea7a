import { describe, expect, it } from 'vitest';
import { findingSchema } from '../../../src/domain/verdict.ts';
import { judgeTrees, taskSpec } from '../../support/guard-judge.ts';

const base = {
  'src/a.js': 'export const a = (n) => n;\n',
  'test/a.test.js':
    "import test from 'node:test';\nimport assert from 'node:assert';\nimport { a } from '../src/a.js';\n\ntest('a', () => {\n  assert.equal(a(2), 2);\n});\n\ntest('b', () => {\n  assert.equal(a(3), 3);\n});\n",
};
const weak = base['test/a.test.js'].replace('a(2), 2', 'a(2), a(2)');

describe('findings', () => {
  it('have the shape that the verdict wants, and point at the line of the head', async () => {
    const findings = await judgeTrees(base, { ...base, 'test/a.test.js': weak });
    expect(findings.map((each) => findingSchema.parse(each))).toEqual(findings);
    expect(findings).toMatchObject([{ rule: 'R2', file: 'test/a.test.js', line: 5 }]);
  });

  it('are all reported, from every rule', async () => {
    const head = {
      ...base,
      'test/a.test.js': weak,
      '.gitattributes': '* -diff\n',
      'src/a.js': 'export const a = (n) => (process.env.CI ? 0 : n);\n',
    };
    const findings = await judgeTrees(base, head, { spec: { allowedPaths: ['src/'], maxProdLines: 0 } });
    expect([...new Set(findings.map(({ rule }) => rule))]).toEqual(['R0', 'R1', 'R2', 'R3', 'R6']);
  });

  it('have a fingerprint that does not outlive its inputs', async () => {
    const one = await judgeTrees(base, { ...base, 'test/a.test.js': weak });
    const again = await judgeTrees(base, {
      ...base,
      'test/a.test.js': weak,
      'src/b.js': 'export const b = 1;\n',
    });
    const edited = await judgeTrees(base, { ...base, 'test/a.test.js': `${weak}// more\n` });
    const otherSpec = await judgeTrees(
      base,
      { ...base, 'test/a.test.js': weak },
      { spec: { objective: 'other' } },
    );
    const [print] = one.map(({ fingerprint }) => fingerprint);
    expect(again.map(({ fingerprint }) => fingerprint)).toContain(print);
    for (const other of [edited, otherSpec])
      expect(other.map(({ fingerprint }) => fingerprint)).not.toContain(print);
  });

  it('leave out rules that are switched off', async () => {
    const rules = new Set(['R0', 'R1', 'R3', 'R6'] as const);
    expect(await judgeTrees(base, { ...base, 'test/a.test.js': weak }, { rules })).toEqual([]);
  });

  it('refuse a change that changes nothing', async () => {
    expect(await judgeTrees(base, base)).toMatchObject([{ rule: 'R1', class: 'empty-change', file: null }]);
  });
});

describe('what a person opens', () => {
  it('lets units that are listed change, and holds their new form to the rules for added tests', async () => {
    const spec = { expectChanges: ['test/a.test.js::a'] };
    const changed = base['test/a.test.js'].replace('a(2), 2', 'a(2), 4');
    expect(await judgeTrees(base, { ...base, 'test/a.test.js': changed }, { spec })).toEqual([]);
    expect(await judgeTrees(base, { ...base, 'test/a.test.js': weak }, { spec })).toMatchObject([
      { rule: 'R2', class: 'tautology' },
    ]);
    const other = base['test/a.test.js'].replace('a(3), 3', 'a(3), 4');
    expect(await judgeTrees(base, { ...base, 'test/a.test.js': other }, { spec })).toMatchObject([
      { rule: 'R2' },
    ]);
  });

  it('opens a manifest by key, not by file', async () => {
    const manifest = (parts: object) => ({
      'package.json': `${JSON.stringify({ name: 'x', scripts: { test: 'node --test' }, ...parts }, null, 2)}\n`,
    });
    const spec = { kind: 'deps' as const, allow: { ...taskSpec().allow, manifests: ['package.json'] } };
    const judged = (parts: object) =>
      judgeTrees(manifest({ dependencies: { a: '^1.0.0' } }), manifest(parts), { spec });
    expect(await judged({ dependencies: { a: '^1.1.0' } })).toEqual([]);
    expect(await judged({ dependencies: { a: 'npm:b@1' } })).toMatchObject([{ rule: 'R0' }]);
    expect(await judged({ dependencies: { a: '^1.0.0' }, scripts: { test: 'true' } })).toMatchObject([
      { rule: 'R0' },
    ]);
    expect(await judged({ dependencies: { a: '^1.0.0' }, overrides: { b: '1' } })).toMatchObject([
      { rule: 'R0' },
    ]);
  });

  it('opens nothing that is hard-protected', async () => {
    const spec = { allow: { ...taskSpec().allow, manifests: ['**'], hooks: ['**'], generated: ['**'] } };
    const head = {
      ...base,
      '.github/workflows/x.yml': 'on: push\n',
      CODEOWNERS: '* @x\n',
      'AGENTS.md': 'x\n',
    };
    const findings = await judgeTrees(base, head, { spec });
    expect(findings.map(({ file }) => file)).toEqual(['.github/workflows/x.yml', 'AGENTS.md', 'CODEOWNERS']);
  });
});
