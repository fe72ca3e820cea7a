import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultPolicy } from '../../src/policy/default-policy.ts';
import { loadPolicy } from '../../src/policy/load-policy.ts';
import { parseCommentCommand } from '../../src/spec/comment-command.ts';
import { parseSpec } from '../../src/spec/parse-spec.ts';
import { readPathPattern } from '../../src/spec/paths.ts';
import { fieldNames, fieldTitles } from '../../src/spec/spec-fields.ts';

const anyText = fc.oneof(fc.string({ maxLength: 400 }), fc.string({ unit: 'binary', maxLength: 400 }));
/** Pieces that mean something to the parser, in any order. */
const piece = fc.oneof(
  fc.constantFrom(...fieldNames.map((name) => `### ${fieldTitles[name]}`)),
  fc.constantFrom(
    '```ccd',
    '```',
    '~~~',
    '<!--',
    '-->',
    '_No response_',
    '- ',
    '> ',
    '---',
    '===',
    '\t',
    '    x',
  ),
  fc.constantFrom(
    'kind: fix',
    'allow: {rename: [[a, b]]}',
    'budget:',
    '  max_usd: 1',
    '__proto__: 1',
    'constructor: x',
    '? : ?',
  ),
  fc.constantFrom(
    'Depends on #1, #2',
    '|a|b|',
    '[x]: <y>',
    'a: &a b',
    '*a',
    '!!js x',
    'src/**',
    '../x',
    '#9',
  ),
  fc.string({ maxLength: 20 }),
);
const body = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('\n'));

test('parsing never throws, and is valid or says what is wrong', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, body), (text) => {
      const parsed = parseSpec(text, defaultPolicy, { repository: 'o/n', issue: 1 });
      if (parsed.kind === 'invalid') expect(parsed.problems.length).toBeGreaterThan(0);
      else expect(parsed.spec.allowedPaths.length).toBeGreaterThan(0);
    }),
    { numRuns: 200 },
  );
});

test('every problem names a line of the text or none', () => {
  fc.assert(
    fc.property(body, (text) => {
      const parsed = parseSpec(text, defaultPolicy);
      if (parsed.kind === 'valid') return;
      const lines = text.split(/\r\n|\r|\n/).length;
      for (const { line } of parsed.problems)
        expect(line === null || (line >= 1 && line <= lines)).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test('line ends do not change what is understood', () => {
  fc.assert(
    fc.property(body, (text) => {
      const unix = text.replace(/\r\n?/g, '\n');
      expect(parseSpec(unix.replace(/\n/g, '\r\n'), defaultPolicy)).toEqual(parseSpec(unix, defaultPolicy));
    }),
    { numRuns: 200 },
  );
});

test('a spec written as YAML is read as it was meant', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,12}$/);
  const paths = fc.uniqueArray(
    fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
    { minLength: 1, maxLength: 5 },
  );
  const spec = fc.record({
    kind: fc.constantFrom('feature', 'docs', 'refactor', 'deps', 'tests-only'),
    objective: fc
      .string({ minLength: 1, maxLength: 80 })
      .filter((text) => text.trim() === text && text !== '' && !/[\u007f-\u009f\ud800-\udfff]/.test(text)),
    allowed_paths: paths,
    priority: fc.integer({ min: 0, max: 9 }),
    depends_on: fc.uniqueArray(fc.integer({ min: 2, max: 99 }), { maxLength: 5 }),
  });
  fc.assert(
    fc.property(spec, (given) => {
      const text = `\`\`\`\`\`\`ccd\n${JSON.stringify({ ...given, test_command: 'npm test' })}\n\`\`\`\`\`\``;
      const parsed = parseSpec(text, defaultPolicy);
      expect(parsed).toMatchObject({
        kind: 'valid',
        spec: {
          kind: given.kind,
          objective: given.objective,
          allowedPaths: given.allowed_paths,
          priority: given.priority,
          dependsOn: [...given.depends_on].sort((left, right) => left - right),
        },
      });
    }),
    { numRuns: 200 },
  );
});

test('a path that is accepted stays inside the repository and is accepted unchanged again', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyText,
        fc.array(fc.constantFrom('.', '..', '/', 'a', '\\', '.git', '*', ' ', '-')).map((p) => p.join('')),
      ),
      (text) => {
        const reading = readPathPattern(text);
        if (reading.kind === 'refused') return;
        expect(reading.path.split('/')).not.toContain('..');
        expect(reading.path.startsWith('/')).toBe(false);
        expect(readPathPattern(reading.path)).toEqual(reading);
      },
    ),
    { numRuns: 2000 },
  );
});

test('policies and comments of any text are read or refused, never thrown at', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, body), (text) => {
      loadPolicy(text);
      const reading = parseCommentCommand(text);
      expect(reading.kind === 'none' || text.startsWith('/ccd')).toBe(true);
    }),
    { numRuns: 100 },
  );
});
