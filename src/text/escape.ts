/** Control characters, bidirectional overrides, zero-width and other characters that a reader cannot see. */
const unseen = new RegExp(
  [
    '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad]',
    '[\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]',
    '\\u034f|\\u061c|\\u115f|\\u1160|\\u17b4|\\u17b5|[\\u180b-\\u180f]|\\u3164|[\\ufe00-\\ufe0f]|\\uffa0',
    '[\\u{e0000}-\\u{e0fff}]',
    '\\p{Surrogate}',
  ].join('|'),
  'gu',
);

/** Foreign text cut to `most` characters, with a visible sign that it was cut. */
export function cut(text: string, most: number): string {
  // A character has two units at most; a list of millions of them would take gigabytes.
  const characters = [...text.slice(0, 2 * most + 2)];
  return characters.length <= most ? text : `${characters.slice(0, Math.max(0, most - 1)).join('')}…`;
}

/** Foreign text without characters that hide something; line breaks and tabs stay. */
export function visible(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(unseen, '');
}

/**
 * Foreign text as one plain line for places that GitHub still searches for references (titles): mentions, issue references,
 * addresses and bracketed directives such as `[skip ci]` lose their meaning through a blank.
 */
export function plainLine(text: string, most: number): string {
  return cut(
    visible(text)
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/@(?=[\p{L}\p{N}_-])/gu, '@ ')
      .replace(/#(?=\d)/g, '# ')
      .replace(/GH-(?=\d)/gi, 'GH- ')
      .replace(/:\/\//g, ': //')
      .replace(/www\./gi, 'www .')
      .replace(/<!--/g, '< !--')
      .replace(/\[(?=[^\]]*\b(?:skip|no|ci|actions)\b)/gi, '[ '),
    most,
  );
}

/** Foreign text as one line of Markdown prose: nothing in it is markup, reference, mention or HTML. */
export function prose(text: string, most: number): string {
  return plainLine(text, most).replace(/[!-/:-@[-`{-~]/g, (mark) => `\\${mark}`);
}

/** Foreign text as one code span: GitHub links and renders nothing inside. Pipes are escaped for tables. */
export function code(text: string, most = 200): string {
  const line = cut(visible(text).replace(/\s+/g, ' ').trim(), most);
  if (line === '') return '—';
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${defuse(line)}${pad}${fence}`;
}

/**
 * Foreign text as a code span inside a table cell, where a pipe would end the cell. A cell knows no way to write a backslash before
 * a pipe in code, so such text is given as prose.
 */
export function codeCell(text: string, most = 200): string {
  if (text.includes('|') && text.includes('\\')) return prose(text, most);
  return code(text, most).replace(/\|/g, '\\|');
}

/** Foreign text as a fenced block of any number of lines. */
export function codeBlock(text: string, most = 4000): string {
  const lines = cut(visible(text).trim(), most);
  const fence = '`'.repeat(Math.max(3, longestRun(lines) + 1));
  return `${fence}text\n${defuse(lines)}\n${fence}`;
}

/** A comment opener is broken even inside code, so that a search for our markers finds only ours. */
function defuse(text: string): string {
  return text.replace(/<!--/g, '< !--');
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
