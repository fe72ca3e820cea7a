import { describe, expect, test } from 'vitest';
import { code, codeBlock, codeCell, cut, plainLine, prose, visible } from '../../../src/text/escape.ts';
import { hostileTexts, live } from './rendered.ts';

describe.each(hostileTexts)('%j', (text) => {
  test.each([
    ['prose', prose],
    ['code', code],
    ['codeCell', codeCell],
    ['codeBlock', codeBlock],
  ])('as %s does nothing', (_name, render) => {
    expect(live(`Before ${render === codeBlock ? '\n\n' : ''}${render(text, 5000)}`)).toEqual({
      links: [],
      html: [],
      mentions: [],
      references: [],
      markers: 0,
    });
  });

  test('as a title is one line without references', () => {
    const title = plainLine(text, 200);
    expect(title).not.toMatch(/\n|#\d|@[a-z]|:\/\/|<!--|\[(?:skip ci|ci skip)\]/i);
    expect([...title].length).toBeLessThanOrEqual(200);
  });
});

test('innocent text stays readable', () => {
  expect(plainLine('Cart: total is "NaN" for 1 + 1 (really)', 100)).toBe(
    'Cart: total is "NaN" for 1 + 1 (really)',
  );
  expect(code('src/cart.ts:12')).toBe('`src/cart.ts:12`');
  expect(code('a `b` c')).toBe('``a `b` c``');
  expect(code('  ')).toBe('—');
  expect(codeCell('a|b')).toBe('`a\\|b`');
});

test('what is cut shows that it was cut, and no character is halved', () => {
  expect(cut('🧭🧭🧭', 2)).toBe('🧭…');
  expect(cut('🧭🧭', 2)).toBe('🧭🧭');
  expect(cut('🧭🧭🧭🧭🧭', 2)).toBe('🧭…');
});

test('line breaks and tabs stay visible, hidden characters go', () => {
  expect(visible('a\r\nb\tc\u200bd\u{e0041}')).toBe('a\nb\tcd');
});
