import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { executedTestSchema } from '../../src/domain/facts.ts';
import { refusedPath } from '../../src/facts/checkable-path.ts';
import { findRunners } from '../../src/guard/facts/find-runner.ts';
import { judgeFacts } from '../../src/guard/facts/judge-facts.ts';
import { numberTwins } from '../../src/guard/facts/number-twins.ts';
import { reportAdapters } from '../../src/guard/facts/reports/adapters.ts';
import { parseTap } from '../../src/guard/facts/reports/tap.ts';
import { parseXml } from '../../src/guard/facts/reports/xml.ts';
import { resolveCommand } from '../../src/guard/facts/resolve-command.ts';
import { shellQuote, shellSegments, shellWords } from '../../src/guard/facts/shell-words.ts';
import { specWith } from '../unit/facts/judged.ts';
import { madeFacts, plan } from '../unit/guard-facts/made-facts.ts';

const markup = fc.constantFrom(
  '<',
  '>',
  '"',
  "'",
  '&',
  ';',
  '/',
  '=',
  'testsuite',
  'testcase',
  ' ',
  '<![CDATA[',
  ']]>',
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  'ok 1',
  '\n',
  '1..1',
  'not ',
);
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.array(fc.oneof(markup, fc.string({ maxLength: 5 })), { maxLength: 60 }).map((parts) => parts.join('')),
  fc.json(),
);

test('no report, however hostile, makes a reader throw or yield what the schema refuses', () => {
  fc.assert(
    fc.property(hostile, hostile, (report, stdout) => {
      for (const adapter of reportAdapters) {
        const input = { report, stdout, key: 'k', root: '/w', folder: '', readText: () => null, paths: [] };
        const result = adapter.parse(input);
        if (result.kind === 'tests') for (const one of result.tests) executedTestSchema.parse(one);
      }
      parseXml(report);
      parseTap(stdout);
    }),
    { numRuns: 300 },
  );
});

const titles = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });

test('a jest report of any titles is read to as many tests with ids of their own', () => {
  const jest = reportAdapters.find(({ name }) => name === 'jest');
  fc.assert(
    fc.property(
      fc.array(fc.record({ path: fc.constantFrom('a.js', 'b.js'), title: titles }), { maxLength: 30 }),
      (tests) => {
        const testResults = tests.map(({ path, title }) => ({
          name: `/w/${path}`,
          status: 'passed',
          assertionResults: [{ ancestorTitles: [], title, status: 'passed', failureMessages: [] }],
        }));
        const text = JSON.stringify({ testResults });
        const report = `${createHmac('sha256', '').update(text).digest('hex')} ${text}`;
        const result = jest?.parse({
          report,
          stdout: '',
          key: '',
          root: '/w',
          folder: '',
          readText: () => null,
          paths: [],
        });
        const numbered = result?.kind === 'tests' ? numberTwins(result.tests) : [];
        expect(numbered).toHaveLength(tests.length);
        expect(new Set(numbered.map(({ id }) => id)).size).toBe(tests.length);
      },
    ),
  );
});

test('any command is taken apart without a throw, and a quoted text is one word again', () => {
  fc.assert(
    fc.property(
      hostile,
      fc.dictionary(fc.constantFrom('test', 'pretest', 'a'), hostile),
      (command, scripts) => {
        shellSegments(command);
        resolveCommand(command, () => scripts);
        findRunners(command, () => scripts, reportAdapters);
      },
    ),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
      expect(shellWords(shellQuote(text)).map((word) => word.text)).toEqual([text]);
    }),
  );
});

const letter = fc.constantFrom('p', 'f', 'e', 's', 't', 'a', ' ');
const results = fc.dictionary(fc.constantFrom('one', 'two', 'three', 'four'), letter);

test('R4 holds: without findings, whatever passed on base passes on both sides of head, in every run', () => {
  const build = { ...plan, judged: 'build' as const, targetTests: [] };
  fc.assert(
    fc.property(results, results, results, (base, overlay, head) => {
      const judgement = judgeFacts({
        plan: build,
        facts: madeFacts(build, { base, overlay, head }),
        spec: specWith({ kind: 'refactor' }),
      });
      if (judgement.kind !== 'judged' || judgement.findings.length > 0) return;
      for (const [name, status] of Object.entries(base)) {
        if (status !== 'p') continue;
        expect(overlay[name]).toBe('p');
        expect(head[name]).toBe('p');
      }
    }),
  );
});

test('R5 holds: a fix passes only with a target that failed on base and passes on head', () => {
  const spec = specWith({ targetTests: plan.targetTests });
  fc.assert(
    fc.property(letter, letter, (before, after) => {
      const facts = madeFacts(plan, {
        base: { old: 'p' },
        'target-on-base': { old: 'p', target: before },
        head: { old: 'p', target: after },
      });
      const judgement = judgeFacts({ plan, facts, spec });
      const clean = judgement.kind === 'judged' && judgement.findings.length === 0;
      expect(clean).toBe((before === 'f' || before === 'e') && after === 'p');
    }),
  );
});

test('judging is total on any delivered value, and never passes what is not facts', () => {
  fc.assert(
    fc.property(fc.anything(), (facts) => {
      expect(judgeFacts({ plan, facts, spec: specWith({}) }).kind).toBe('could-not-judge');
    }),
  );
});

test('a path that is written to disk stays in its folder', () => {
  const part = fc.oneof(
    fc.constantFrom('..', '.', '', '.git', '.GIT', '.g\u200cit', 'git~1', 'a', '.git '),
    fc.string({ maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      if (refusedPath(parts.join('/')) !== null) return;
      for (const one of parts.join('/').split('/')) {
        expect(['', '.', '..']).not.toContain(one);
        expect(one.replace(/[\u200c ]/g, '').toLowerCase()).not.toBe('.git');
      }
    }),
  );
});
