import type { Nodes } from 'mdast';
import { isTooDeep, maxBodyLines, readMarkdown, spanOf, walk } from './markdown.ts';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Markdown as a reader of the page sees it, still as Markdown: without comments, HTML tags and their attributes, definitions
 * that nothing refers to, titles of links, pictures with their descriptions, words behind a fence's language. What people
 * cannot see must not steer an agent. Character references are spelled out, so that unseen ones can be taken out afterwards.
 * Null for a text that no person writes, which would keep the parser busy.
 */
export function shownText(markdown: string): string | null {
  if (isTooDeep(markdown) || markdown.split('\n').length > maxBodyLines) return null;
  const { source, root } = readMarkdown(markdown);
  const nodes = [...walk(root)];
  const referred = new Set(
    nodes.flatMap((node) =>
      node.type === 'linkReference' || node.type === 'imageReference' ? [node.identifier] : [],
    ),
  );
  const edits = [
    ...footnoteEdits(root.children, source),
    ...nodes.flatMap((node) => editsOf(node, source, referred)),
  ];
  return applied(source, edits);
}

function editsOf(node: Nodes, source: string, referred: ReadonlySet<string>): Edit[] {
  const { start, end } = spanOf(node);
  const whole = (text: string): Edit[] => [{ start, end, text }];
  switch (node.type) {
    case 'html':
      return whole(withoutTags(source.slice(start, end)));
    case 'image':
    case 'imageReference':
      return whole('(a picture)');
    case 'definition':
      if (!referred.has(node.identifier)) return whole('');
      return node.title == null ? [] : whole(`[${node.label ?? node.identifier}]: ${node.url}`);
    case 'link':
      return node.title == null ? [] : titleEdit(node, source);
    case 'code':
      return node.meta == null ? [] : metaEdit(node.lang ?? '', start, source);
    case 'text':
      return whole(withReferences(source.slice(start, end)));
    default:
      return [];
  }
}

/** A link's tail without its title; what it links by stays. */
function titleEdit(node: Extract<Nodes, { type: 'link' }>, source: string): Edit[] {
  const { start, end } = spanOf(node);
  const last = node.children.at(-1);
  const from = last === undefined ? start + 1 : spanOf(last).end;
  // An address in words of its own has no brackets, and no title either.
  return source[from] === ']' ? [{ start: from, end, text: `](<${node.url.replace(/[<>\n]/g, '')}>)` }] : [];
}

function metaEdit(lang: string, start: number, source: string): Edit[] {
  const lineEnd = source.indexOf('\n', start);
  const end = lineEnd < 0 ? source.length : lineEnd;
  const fence = /^[`~]+/.exec(source.slice(start, end))?.[0] ?? '';
  return [{ start, end, text: `${fence}${lang}` }];
}

/** The texts between tags: comments first, one that never ends reaches to the end. */
function withoutTags(html: string): string {
  return html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replace(/<[!?][\s\S]*?>/g, '')
    .replace(/<\/?[a-z][^>]*(?:>|$)/gi, '');
}

const unseenNames: Readonly<Record<string, string>> = {
  ZeroWidthSpace: '\u200b',
  NoBreak: '\u2060',
  shy: '\u00ad',
  lrm: '\u200e',
  rlm: '\u200f',
  zwj: '\u200d',
  zwnj: '\u200c',
  ApplyFunction: '\u2061',
  af: '\u2061',
  InvisibleTimes: '\u2062',
  it: '\u2062',
  InvisibleComma: '\u2063',
  ic: '\u2063',
};

/** References to characters beyond ASCII become the characters; those of ASCII stay, as they may keep markup from being it. */
function withReferences(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([A-Za-z]+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return unseenNames[name] ?? whole;
    const point = hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point >= 0x80 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

/** Footnotes that nothing refers to are not on the page, and neither are the indented blocks below them. */
function footnoteEdits(blocks: readonly Nodes[], source: string): Edit[] {
  const edits: Edit[] = [];
  let inNote = false;
  for (const block of blocks) {
    const { start, end } = spanOf(block);
    const text = source.slice(start, end);
    const label = /^\[\^([^\]\s]+)\]:/.exec(text)?.[1];
    const isNote = label !== undefined && source.split(`[^${label}]`).length <= 2;
    const goesOn: boolean = inNote && block.type === 'code' && !/^[`~]/.test(text);
    inNote = isNote || goesOn;
    if (inNote) edits.push({ start, end, text: '' });
  }
  return edits;
}

/** Outer edits win over those inside them, and of two for the same place the first. */
function applied(source: string, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((left, right) => left.start - right.start || right.end - left.end);
  let result = '';
  let at = 0;
  for (const { start, end, text } of ordered) {
    if (start < at) continue;
    result += source.slice(at, start) + text;
    at = end;
  }
  return result + source.slice(at);
}
