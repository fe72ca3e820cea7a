import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Html, html } from '../../../../src/local/pages/html.ts';
import { safeAddress } from '../../../../src/local/pages/links.ts';

const mean = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('<', '>', '"', "'", '&', '`', '=', '/', 'a', '\u202e', '\0', '\ud800', '\r'),
  }),
);

describe('html', () => {
  it('lets no value become markup, end an attribute, or turn the text around', () => {
    fc.assert(
      fc.property(mean, (text) => {
        const made = String(html`<p title="${text}">${text}</p>`);
        expect(made).toMatch(/^<p title="[^"<>'`]*">[^"<>'`]*<\/p>$/);
        expect(made).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps the text itself', () => {
    const back = (text: string): string =>
      text.replace(
        /&(lt|gt|quot|#39|#96|amp);/g,
        (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", '#96': '`', amp: '&' })[name]!,
      );
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('<', '&', 'amp;', '"', 'x', ' ', '\n', '&lt;') }),
        (text) => {
          expect(back(String(html`${text}`))).toBe(text);
        },
      ),
    );
  });

  it('takes markup that the tag made as it is, lists joined, and nothing for null and false', () => {
    expect(
      String(html`<ul>${[html`<li>${1}</li>`, html`<li>${'<'}</li>`]}${null}${false}${undefined}</ul>`),
    ).toBe('<ul><li>1</li><li>&lt;</li></ul>');
  });

  it('takes nothing that only looks like markup', () => {
    const forged = { toString: () => '<b>' } as unknown as Html;
    expect(() => String(html`${forged}`)).toThrow();
    const child = Object.create(Html.prototype) as Html;
    expect(() => String(html`${child}`)).toThrow();
  });
});

describe('safeAddress', () => {
  it.each([
    'https://a.example/b?c#d',
    'http://a',
    '/x',
    '#a',
    '?a=b',
    'a/b.md',
    './a',
    '../a',
    'a?x=y:z',
    'A.md#b:c',
  ])('follows %s', (address) => {
    expect(safeAddress(address)).toBe(address);
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:x',
    'data:text/html,x',
    'vbscript:x',
    '//evil.example',
    '\\\\evil.example',
    '/\\evil.example',
    'java\tscript:x',
    ' javascript:x',
    'file:///etc',
    'mailto:a@b',
    '',
    'x:y',
    '\u0001javascript:x',
  ])('does not follow %j', (address) => {
    expect(safeAddress(address)).toBeNull();
  });
});
