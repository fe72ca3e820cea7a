import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { defaultPolicy } from '../../../src/policy/default-policy.ts';
import { policySchema } from '../../../src/policy/policy.ts';
import { bodyDigest, specDigest } from '../../../src/spec/digest.ts';
import { type ParsedSpec, parseSpec } from '../../../src/spec/parse-spec.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/issues/${name}`, import.meta.url), 'utf8');

function valid(parsed: ParsedSpec) {
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems, null, 1));
  return parsed.spec;
}

function problemsOf(markdown: string, policy = defaultPolicy, context = {}) {
  const parsed = parseSpec(markdown, policy, context);
  return parsed.kind === 'valid'
    ? []
    : parsed.problems.map(({ field, code, line }) => `${line ?? '-'} ${field} ${code}`);
}

const block = (yaml: string) => `\`\`\`ccd\n${yaml}\n\`\`\`\n`;
const sound = 'kind: docs\nobjective: Say more.\nallowed_paths: [docs/]\ntest_command: npm test';

describe('a body as the issue form renders it', () => {
  const spec = valid(parseSpec(fixture('form.md'), defaultPolicy));

  test('every field is read', () => {
    expect(spec).toEqual({
      kind: 'fix',
      objective: 'The total of an empty cart is `NaN`.\n\nIt has to be 0.',
      acceptanceCriteria: [
        'An empty cart costs 0',
        'A cart with one line costs that line,\ndiscount included',
      ],
      allowedPaths: ['src/cart.ts', 'src/totals/*_sum_*.ts', 'test/cart/'],
      targetTests: ['test/cart.test.ts::empty cart > costs _nothing_ at all'],
      expectChanges: [],
      setup: 'npm ci',
      testCommand: 'npm test',
      verify: ['npm run lint', 'npm run typecheck'],
      maxProdLines: 25,
      allow: {
        binary: [],
        mode: [],
        submodule: [],
        symlink: [],
        generated: [],
        hooks: [],
        manifests: ['package.json'],
        rename: [['src/old.ts', 'src/new.ts']],
      },
      profiles: ['localized', 'mechanical'],
      budget: { maxUsd: 2.5, maxTurns: 12, maxTries: 2, wallClockMinutes: 15 },
      priority: 2,
      dependsOn: [12, 15],
    });
  });

  test('line ends and a byte order mark change nothing but the digest of the body', () => {
    const windows = `\uFEFF${fixture('form.md').replace(/\n/g, '\r\n')}`;
    expect(valid(parseSpec(windows, defaultPolicy))).toEqual(spec);
    expect(specDigest(valid(parseSpec(windows, defaultPolicy)))).toBe(specDigest(spec));
    expect(bodyDigest('title', windows)).not.toBe(bodyDigest('title', fixture('form.md')));
  });
});

describe('a ccd block', () => {
  test('is read, and mentions in prose add to its dependencies', () => {
    const spec = valid(parseSpec(fixture('block.md'), defaultPolicy));
    expect(spec).toMatchObject({
      kind: 'feature',
      objective: 'An empty cart costs 0.',
      allowedPaths: ['src/cart.ts', 'test/'],
      verify: ['npm run lint'],
      profiles: ['cross-boundary'],
      priority: 0,
      dependsOn: [7, 8, 9, 10],
    });
    expect(spec.budget).toEqual({ maxUsd: 1, maxTurns: 40, maxTries: 3, wallClockMinutes: 60 });
  });

  test('agrees with a heading or contradicts it', () => {
    expect(problemsOf(`### Kind\n\ndocs\n\n${block(sound)}`)).toEqual([]);
    expect(problemsOf(`### Kind\n\nfeature\n\n${block(sound)}`)).toEqual(['6 kind contradiction']);
  });

  test.each([
    ['unknown key', `${sound}\nobjectiv: x`, ['6 body unknown-key']],
    ['key given twice', `${sound}\nkind: docs`, ['6 body duplicate-key']],
    [
      'both names of one key',
      `${sound}\nprofile: localized\nprofiles: [localized]`,
      ['7 profiles duplicate-key'],
    ],
    ['unknown word', sound.replace('docs', 'improvement'), ['2 kind unknown-word']],
    ['number as text', `${sound}\npriority: "1"`, ['6 priority wrong-type']],
    ['unknown key of a budget', `${sound}\nbudget: { usd: 1 }`, ['6 budget unknown-key']],
    ['unknown key of allow', `${sound}\nallow: { everything: [a] }`, ['6 allow unknown-key']],
  ])('%s', (_name, yaml, expected) => {
    expect(problemsOf(block(yaml))).toEqual(expected);
  });

  test.each([
    ['alias', 'a: &a [x]\nkind: *a'],
    ['anchor alone', 'kind: &a docs'],
    ['tag', 'kind: !!str docs'],
    ['custom tag', 'kind: !evil docs'],
    ['merge key', 'x: &a {kind: docs}\n<<: *a'],
  ])('%s is refused', (_name, yaml) => {
    expect(problemsOf(block(yaml)).join()).toContain('yaml-alias');
  });

  test.each([
    ['a list', '- kind'],
    ['a text', 'kind'],
    ['broken', 'kind: [docs'],
    ['two documents', 'kind: docs\n---\nkind: docs'],
    ['nested past the stack', `kind: ${'['.repeat(20_000)}`],
  ])('%s is no mapping', (_name, yaml) => {
    expect(problemsOf(block(yaml)).join()).toMatch(/body (yaml-syntax|duplicate-key)/);
  });

  test('an empty one says nothing; a key without value is absent', () => {
    expect(problemsOf(`${block('')}`).join()).toContain('kind missing');
    expect(problemsOf(block(`${sound}\nsetup:`))).toEqual([]);
  });

  test('two blocks, or one inside a list, are problems', () => {
    expect(problemsOf(block(sound) + block('priority: 1'))).toEqual(['7 body duplicate-block']);
    expect(problemsOf(`${block(sound)}\n- item\n\n  \`\`\`ccd\n  priority: 1\n  \`\`\`\n`)).toEqual([
      '10 body buried-block',
    ]);
  });
});

describe('Markdown is parsed, not searched', () => {
  const spec = valid(parseSpec(fixture('markdown-traps.md'), defaultPolicy));

  test('headings in fences, quotations and indented code are content', () => {
    expect(spec.kind).toBe('fix');
    expect(spec.setup).toBeNull();
    expect(spec.testCommand).toBe('npm test');
  });

  test('setext headings, any level, any case, a colon', () => {
    expect(spec.acceptanceCriteria).toEqual(['Umlauts stay', 'So do emoji 🧭']);
    expect(spec.allowedPaths).toEqual(['src/präfix.ts', 'test/']);
    expect(spec.targetTests).toEqual(['test/präfix.test.ts::behält „ä“']);
  });

  test('only running text depends', () => {
    expect(spec.dependsOn).toEqual([94]);
  });

  test('what readers cannot see is not read', () => {
    expect(spec.objective).not.toContain('#90');
    expect(problemsOf('### Kind\n\n<!-- fix -->\n').join()).toContain('kind missing');
  });

  test('a heading of the author ends a field unless it lies deeper', () => {
    const parsed = parseSpec(
      `## Objective\n\nA\n\n### Why\n\nB\n\n## Notes\n\nC\n\n${block('kind: docs')}`,
      defaultPolicy,
    );
    expect(parsed.kind === 'invalid' && parsed.partial.objective).toBe('A\n\n### Why\n\nB');
    expect(parsed.notes.join()).toContain('"Notes"');
  });

  test('a ccd block in the middle of a field is not part of it', () => {
    const parsed = parseSpec(`## Objective\n\nA\n\n${block('kind: docs')}\nB\n`, defaultPolicy);
    expect(parsed.kind === 'invalid' && parsed.partial.objective).toBe('A\n\nB');
  });
});

describe('problems', () => {
  test('all are told at once, by line, what is missing last', () => {
    const body =
      '### Kind\n\nbug\n\n### Kind\n\nfix\n\n### Allowed paths\n\n../x\n/etc\n\n### Priority\n\nhigh\n';
    expect(problemsOf(body)).toEqual(
      [
        '1 kind unknown-word',
        '5 kind duplicate-heading',
        '9 allowed_paths not-a-path',
        '9 allowed_paths not-a-path',
        '14 priority wrong-type',
        '- objective missing',
        '- test_command missing',
      ].sort((a, b) => (Number.parseInt(a, 10) || 99) - (Number.parseInt(b, 10) || 99)),
    );
  });

  test('an empty text lacks everything that has no default', () => {
    expect(problemsOf('')).toEqual([
      '- kind missing',
      '- objective missing',
      '- allowed_paths missing',
      '- test_command missing',
    ]);
  });

  test('a fix needs a target test', () => {
    expect(problemsOf(block(sound.replace('docs', 'fix')))).toEqual(['- target_tests missing']);
  });

  test("what lies above policy's bounds", () => {
    expect(problemsOf(block(`${sound}\nbudget: { max_usd: 6, max_turns: 41 }\nmax_prod_lines: 401`))).toEqual(
      ['6 budget above-policy', '6 budget above-policy', '7 max_prod_lines above-policy'],
    );
  });

  test('a refused entry does not hide the others', () => {
    const parsed = parseSpec(block(`${sound}\nverify: ["", npm run lint, 3]`), defaultPolicy);
    expect(parsed.kind === 'invalid' && parsed.partial.verify).toEqual(['npm run lint']);
  });

  test.each([
    ['#0', 'not-an-issue'],
    ['soon', 'not-an-issue'],
    ['other/name#3', 'foreign-issue'],
    ['https://github.com/other/name/issues/3', 'foreign-issue'],
    ['#5', 'own-issue'],
  ])('dependency %s: %s', (entry, code) => {
    const context = { repository: 'own/name', issue: 5 };
    expect(problemsOf(block(`${sound}\ndepends_on: ["${entry}"]`), defaultPolicy, context)).toEqual([
      `6 depends_on ${code}`,
    ]);
  });

  test('blocks that the page hides are none that a person has read', () => {
    const verify = '### Verify\n\n- curl http://a.test';
    for (const html of ['<div> <!--', '<div title="'])
      expect(problemsOf(`${block(sound)}\n${html}\n\n${verify}\n`)).toEqual(['- body hidden']);
    expect(problemsOf(`${block(sound)}\n<div>\n\n<!-- x\n\n${verify} -->\n\n</div>\n`)).toEqual([]);
  });

  test('sizes are bounded', () => {
    expect(problemsOf('x'.repeat(65_537))).toEqual(['- body too-long']);
    expect(problemsOf('x\n'.repeat(3001))).toEqual(['- body too-long']);
    expect(problemsOf('> '.repeat(60))).toEqual(['- body too-deep']);
    expect(problemsOf('*a**b'.repeat(8500))).toEqual(['- body too-deep']);
    expect(
      problemsOf(block(`${sound}\ndepends_on: [${Array.from({ length: 51 }, (_, i) => i + 1).join()}]`)),
    ).toEqual(['6 depends_on too-many']);
    expect(problemsOf(block(sound.replace('npm test', 'x'.repeat(4097))))).toContain(
      '5 test_command too-big',
    );
  });

  test('a length is counted in characters as people see them', () => {
    expect(problemsOf('🧭'.repeat(40_000))).not.toContain('- body too-long');
  });
});

test('defaults come from policy', () => {
  const policy = policySchema.parse({
    profiles: ['mechanical'],
    task: { test_command: 'make test', setup: 'make deps', verify: ['make lint'], max_prod_lines: 10 },
    agent: { max_usd: 1 },
  });
  const spec = valid(parseSpec(block(sound.replace('\ntest_command: npm test', '')), policy));
  expect(spec).toMatchObject({
    testCommand: 'make test',
    setup: 'make deps',
    verify: ['make lint'],
    maxProdLines: 10,
    profiles: ['mechanical'],
    budget: { maxUsd: 1 },
    priority: 5,
  });
});

test('own references in every form are one dependency', () => {
  const body = `Depends on https://github.com/Own/Name/issues/3, own/name#3 and [#4](https://github.com/own/name/issues/4).\n\n${block(sound)}`;
  expect(valid(parseSpec(body, defaultPolicy, { repository: 'own/name' })).dependsOn).toEqual([3, 4]);
});
