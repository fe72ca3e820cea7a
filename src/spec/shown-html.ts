/** What a piece of HTML left open, to go on behind it: a comment, or an attribute's value by its quote. */
export type OpenMarkup = 'comment' | '"' | "'";

export interface ShownHtml {
  readonly text: string;
  readonly open: OpenMarkup | null;
}

const space = '[\\t\\n\\f\\r ]';
/** With the value's closing quote, or the end of the text in its place, as groups. */
const attribute = new RegExp(
  `(?:${space}|/)*[^\\t\\n\\f\\r />][^\\t\\n\\f\\r />=]*(?:${space}*=${space}*(?:"[^"]*("|$)|'[^']*('|$)|[^\\t\\n\\f\\r >"'][^\\t\\n\\f\\r >]*)?)?`,
  'y',
);
const tagStart = /<\/?[a-z][^\t\n\f\r />]*/iy;
const commentEnd = /--!?>/g;
/** Their content is no text of the page. */
const rawStart = /^<(script|style)(?=[\t\n\f\r />])/i;

/**
 * The texts between the tags of a piece of HTML, read as the HTML standard says (13.2.5): quotes count where a value begins, a
 * comment, or what is no tag, reaches to its own end or to the end. `open` is what an earlier piece left open.
 */
export function shownHtml(html: string, open: OpenMarkup | null): ShownHtml {
  let text = '';
  let left: OpenMarkup | null = null;
  let at = 0;
  const take = (next: Step) => {
    at = next.at;
    left = next.open;
  };
  if (open === 'comment') take(afterComment(html, 0));
  else if (open !== null) take(afterQuote(html, open));
  while (at < html.length) {
    const start = html.indexOf('<', at);
    text += html.slice(at, start < 0 ? html.length : start);
    if (start < 0) break;
    const step = afterMarkup(html, start);
    if (step === null) text += '<';
    take(step ?? { at: start + 1, open: null });
  }
  return { text, open: left };
}

interface Step {
  readonly at: number;
  readonly open: OpenMarkup | null;
}

/** Where the markup at `start` ends; null when the sign there opens none. */
function afterMarkup(html: string, start: number): Step | null {
  if (html.startsWith('<!--', start)) {
    const empty = /^<!---?>/.exec(html.slice(start, start + 6));
    return empty === null ? afterComment(html, start + 4) : { at: start + empty[0].length, open: null };
  }
  tagStart.lastIndex = start;
  if (tagStart.test(html)) return pastRawText(html, start, afterTag(html, tagStart.lastIndex));
  if (/^<(?:[!?]|\/[^a-z])/i.test(html.slice(start, start + 3))) return pastSign(html, start);
  return null;
}

function afterComment(html: string, from: number): Step {
  commentEnd.lastIndex = from;
  return commentEnd.test(html)
    ? { at: commentEnd.lastIndex, open: null }
    : { at: html.length, open: 'comment' };
}

function afterQuote(html: string, quote: '"' | "'"): Step {
  const end = html.indexOf(quote);
  return end < 0 ? { at: html.length, open: quote } : afterTag(html, end + 1);
}

function afterTag(html: string, from: number): Step {
  attribute.lastIndex = from;
  let at = from;
  for (let found = attribute.exec(html); found !== null; found = attribute.exec(html)) {
    at = attribute.lastIndex;
    if (found[1] === '') return { at, open: '"' };
    if (found[2] === '') return { at, open: "'" };
  }
  return pastSign(html, at);
}

function pastSign(html: string, from: number): Step {
  const end = html.indexOf('>', from);
  return { at: end < 0 ? html.length : end + 1, open: null };
}

function pastRawText(html: string, start: number, tag: Step): Step {
  const name = rawStart.exec(html.slice(start, start + 8))?.[1];
  if (name === undefined || tag.open !== null) return tag;
  const close = html.slice(tag.at).search(new RegExp(`</${name}`, 'i'));
  return close < 0 ? tag : { at: tag.at + close, open: null };
}
