import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defaultPolicy } from '../../src/policy/default-policy.ts';
import { parseSpec } from '../../src/spec/parse-spec.ts';
import { parseBuildMessage, renderBuildMessage } from '../../src/text/build-message.ts';
import { parseCandidateMessage, renderCandidateMessage } from '../../src/text/candidate-message.ts';
import { echo } from '../../src/text/echo.ts';
import { code, codeBlock, codeCell, prose } from '../../src/text/escape.ts';
import { parseMarker, renderMarker } from '../../src/text/marker.ts';
import { renderPullTitle } from '../../src/text/pull-body.ts';
import { hostileTexts, live } from '../unit/text/rendered.ts';

const oid = fc.stringMatching(/^[0-9a-f]{40}$/);
const digest = fc.stringMatching(/^[0-9a-f]{64}$/).map((hex) => `sha256:${hex}`);
const number = fc.integer({ min: 1, max: 1_000_000 });
const spice = fc.constantFrom(
  '@',
  '#1',
  '`',
  '```',
  '~~~',
  '\n',
  '\n\n',
  '<!--',
  '-->',
  '<b>',
  '[',
  '](',
  ')',
  '|',
  '\\',
  '&',
  ';',
  '://',
  'www.',
  'GH-1',
  '*',
  '_',
  '$',
  '\u200b',
);
const hostile = fc.oneof(
  fc
    .array(fc.oneof(spice, fc.constantFrom(...hostileTexts), fc.string({ maxLength: 6 })), { maxLength: 20 })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

test('markers carry any data and are read back', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string(),
        fc.oneof(fc.string({ unit: 'binary' }), hostile, fc.integer(), fc.boolean()),
      ),
      (data) => {
        const marker = renderMarker('status', { data });
        expect(marker.split('<!--').length).toBe(2);
        expect(marker.split('-->').length).toBe(2);
        expect(marker).not.toContain('\n');
        const read = parseMarker('status', `${marker}\nrest`, z.strictObject({ data: z.unknown() }));
        expect(read).toEqual(JSON.parse(JSON.stringify({ data })));
      },
    ),
  );
});

test('commit messages are read back', () => {
  const member = fc.record({
    kind: fc.constantFrom('task' as const, 'pull' as const),
    number,
    candidate: oid,
    keyDigest: fc.option(digest),
  });
  const build = fc.record({
    build: number,
    try: number,
    members: fc.array(member, { maxLength: 5 }),
    policyDigest: digest,
    state: oid,
  });
  fc.assert(
    fc.property(build, number, number, oid, (message, issue, generation, base) => {
      expect(parseBuildMessage(renderBuildMessage(message))).toEqual(message);
      const candidate = { issue, attempt: `${issue}.${generation}`, base };
      expect(parseCandidateMessage(renderCandidateMessage(candidate))).toEqual(candidate);
    }),
  );
});

test('foreign text does nothing, whatever it is', () => {
  const inert = { links: [], html: [], mentions: [], references: [], markers: 0 };
  fc.assert(
    fc.property(hostile, (text) => {
      expect(live(`x ${prose(text, 300)} y`)).toEqual(inert);
      expect(live(`x ${code(text, 300)} y`)).toEqual(inert);
      expect(live(`| h | i |\n| - | - |\n| ${codeCell(text, 300)} | ${prose(text, 300)} |`)).toEqual(inert);
      expect(live(`x\n\n${codeBlock(text, 300)}\n\ny`)).toEqual(inert);
    }),
    { numRuns: 120 },
  );
});

test('a table row stays one row of two cells', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const row = `| ${codeCell(text, 300)} | ${prose(text, 300)} |`;
      expect(row.split('\n').length).toBe(1);
      expect(row.replace(/\\[\s\S]/g, '').split('|').length).toBe(4);
    }),
  );
});

test('no title of an issue makes a mention, a reference, a closing keyword or a directive', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const title = renderPullTitle(7, text);
      expect(title).not.toMatch(/\n|@[\p{L}\p{N}_]|#\d|\bGH-\d|:\/\/|<!--|\[(?:skip ci|ci skip|no ci)\]/iu);
      expect([...title].length).toBeLessThanOrEqual(256);
    }),
    { numRuns: 120 },
  );
});

test('no issue body makes a second marker or a mention in its echo', () => {
  fc.assert(
    fc.property(hostile, hostile, (left, right) => {
      const text = echo(
        parseSpec(
          `### Objective\n\n${left}\n\n### Acceptance criteria\n\n- ${right}\n\n### Verify\n\n${left}`,
          defaultPolicy,
        ),
      );
      const rendered = live(text);
      expect(rendered).toMatchObject({ links: [], mentions: [], markers: 0 });
      expect(rendered.html.filter((html) => html !== '<br>')).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
