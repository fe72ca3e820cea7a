import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shownText } from '../../../src/spec/shown-text.ts';

describe('text as the page shows it', () => {
  it.each([
    ['a comment', 'seen <!-- HIDDEN --> too', 'seen  too'],
    ['a comment without an end', 'seen\n\n<!-- HIDDEN\n\nHIDDEN', 'seen\n\n'],
    ['tags and their attributes', 'a <span title="HIDDEN" data-x=HIDDEN>b</span> c', 'a b c'],
    [
      'a block of HTML',
      '<details open title="HIDDEN">\n<summary>Log</summary>\n\nfailed\n\n</details>',
      '\nLog\n\nfailed\n\n',
    ],
    ['a picture by HTML', 'x <img src="a.png" alt="HIDDEN">', 'x '],
    ['a picture and its description', 'x ![HIDDEN](a.png "HIDDEN") y', 'x (a picture) y'],
    ['a definition used as a comment', 'x\n\n[//]: # (HIDDEN)\n\ny', 'x\n\n\n\ny'],
    ['a definition that nothing refers to', 'x\n\n[h]: http://a.test/HIDDEN', 'x\n\n'],
    ['the title of a definition', '[a]\n\n[a]: http://a.test "HIDDEN"', '[a]\n\n[a]: http://a.test'],
    [
      'the title of a link',
      'see [the docs](http://a.test "HIDDEN") now',
      'see [the docs](<http://a.test>) now',
    ],
    ['words behind the language of a fence', '```js HIDDEN words\nlet a;\n```', '```js\nlet a;\n```'],
    ['a value of an attribute with a sign that ends a tag', 'a <img alt="x > HIDDEN"> b', 'a  b'],
    ['values in other quotes', `<p =" title=">HIDDEN" lang='> HIDDEN'>a</p>`, 'a'],
    ['what is no tag', '<div>\n</ HIDDEN>a<!HIDDEN', '\na'],
    ['a comment through blocks', '<div> <!--\n\nHIDDEN\n\n<div> -->\n\na', ' \n\na'],
    ['a comment from a block to the end', '<div> <!-->a<!--\n\nHIDDEN', ' a'],
    ['a value of an attribute through blocks', 'x\n\n<div title="\n\nHIDDEN\n\n<div ">\n\na', 'x\n\n\n\na'],
    ['a script', 'a <script>HIDDEN</script> b\n\n<style>\nHIDDEN\n</style>', 'a  b\n\n'],
    ['the name of a definition', '[a][HIDDEN b]\n\n[HIDDEN b]: http://a.test', '[a](<http://a.test>)\n\n'],
    ['a link without a text', 'a [](http://a.test/HIDDEN) b', 'a  b'],
    ['an address of words', 'a [b](<HIDDEN c>) d', 'a [b](<>) d'],
    ['cells that a table has no column for', '| a |\n| - |\n| b | HIDDEN |', '| a |\n| - |\n| b '],
    ['the source of a diagram', '```mermaid\n%% HIDDEN\n```', '(a picture)'],
    ['formulas with commands', 'a $\\phantom{HIDDEN *b* `c`}$ d `$\\e$` $5', 'a (a formula) d `$\\e$` $5'],
    ['what is no name of a language', '```HIDDEN,words_in_place_of_it\na\n```', '```\na\n```'],
    ['a footnote in a paragraph', 'a\n[^x]: HIDDEN b\nHIDDEN', 'a\n'],
    [
      'a footnote in a quotation or list',
      '> a\n> [^x]: HIDDEN b\n\n- [^y]: HIDDEN b\n\n      HIDDEN',
      '> a\n> \n\n- \n\n  ',
    ],
    ['a second footnote of one name', 'a[^b]\n\n[^b]: c d\n[^b]: HIDDEN e', 'a[^b]\n\n[^b]: c d\n'],
    ['a footnote that a comment refers to', 'a <!-- [^b] -->\n\n[^b]: HIDDEN c', 'a \n\n'],
    ['a footnote without a reference', 'x\n\n[^h]: HIDDEN words here\n\n    HIDDEN too', 'x\n\n\n\n'],
  ])('is without %s', (_what, text, shown) => {
    expect(shownText(text)).toBe(shown);
  });

  it.each([
    ['code that speaks of comments', 'use `<!-- x -->` or\n\n```html\n<!-- shown -->\n<b title="t">\n```'],
    ['less-than signs', 'if a < b and c > d, 1 <2'],
    ['addresses', 'see http://a.test/x?y=1&z=2 and <http://b.test>'],
    ['a footnote with a reference', 'x[^1]\n\n[^1]: shown'],
    ['a link without a title', '[a `b` *c*](http://a.test)'],
    ['tables and lists', '| a | b |\n| - | - |\n| 1 | 2 |\n\n- [ ] todo\n  1. x'],
  ])('keeps %s', (_what, text) => {
    expect(shownText(text)).toBe(text);
  });

  it('spells out references to characters, so that unseen ones can be taken out', () => {
    expect(shownText('a&#x200b;b&#8238;c&ZeroWidthSpace;d&#917569;e')).toBe(
      'a\u200bb\u202ec\u200bd\u{e0041}e',
    );
    expect(shownText('&lt;b&gt; &#60; &amp; `&#x200b;`')).toBe('&lt;b&gt; &#60; &amp; `&#x200b;`');
  });

  it('is nothing for what no person writes', () => {
    expect(shownText('> '.repeat(100))).toBeNull();
    expect(shownText('x\n'.repeat(4000))).toBeNull();
    // Each of them took the parser ten seconds.
    for (const slow of ['*a**b', '~~a', '_(a__(b', '[a][b]']) expect(shownText(slow.repeat(8500))).toBeNull();
    expect(shownText('a_b *c* [d](e)\n\n'.repeat(1000))).not.toBeNull();
  });

  it('never shows a comment, whatever stands around it, and never throws', () => {
    const piece = fc.constantFrom(
      '<!-- HIDDEN -->',
      '\n\n',
      '> ',
      '- ',
      '*',
      '[a](b)',
      '<b>',
      'word ',
      '    ',
      '|',
      '&',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        const shown = shownText(text) ?? '';
        // An indented line is code, where a comment is seen.
        if (!/(?:^|\n)[\s>*-]*(?: {4}|\t)/.test(text)) expect(shown).not.toContain('HIDDEN');
      }),
    );
  });
});
