import type { Nodes, Table } from 'mdast';
import { formulaEdits, isDrawn } from './drawn.ts';
import { applyEdits, type Edit } from './edit.ts';
import { htmlPieces } from './html-pieces.ts';
import { isTooDeep, maxBodyLines, readMarkdown, spanOf, walk } from './markdown.ts';
import { unreadFootnotes } from './unread-footnotes.ts';

/** What the edits of one node need to know of the others: addresses by what refers to them. */
interface Definitions {
  readonly addresses: ReadonlyMap<string, string>;
  /** What is referred to by a text that is on the page itself. */
  readonly referred: ReadonlySet<string>;
}

/**
 * Markdown as a reader of the page sees it, still as Markdown: without comments, HTML tags and their attributes, definitions
 * that nothing refers to, names of definitions, titles of links, links without a text, cells beyond a table's columns, pictures
 * with their descriptions, sources of diagrams and formulas, words behind a fence's language. What people cannot see must not
 * steer an agent. Character references are spelled out, so that unseen ones can be taken out afterwards.
 * Null for a text that no person writes, which would keep the parser busy.
 */
export function shownText(markdown: string): string | null {
  if (isTooDeep(markdown) || markdown.split('\n').length > maxBodyLines) return null;
  const { source, root } = readMarkdown(markdown);
  const nodes = [...walk(root)];
  const definitions = definitionsOf(nodes);
  return applyEdits(source, [
    ...htmlPieces(nodes, source).map(({ hiddenFrom: start, end, text }) => ({ start, end, text })),
    ...unreadFootnotes(nodes, source),
    ...formulaEdits(nodes, source),
    ...nodes.flatMap((node) => editsOf(node, source, definitions)),
  ]);
}

function definitionsOf(nodes: readonly Nodes[]): Definitions {
  const addresses = new Map<string, string>();
  const referred = new Set<string>();
  for (const node of nodes) {
    if (node.type === 'linkReference' && node.referenceType !== 'full') referred.add(node.identifier);
    if (node.type === 'definition' && !addresses.has(node.identifier))
      addresses.set(node.identifier, node.url);
  }
  return { addresses, referred };
}

function editsOf(node: Nodes, source: string, { addresses, referred }: Definitions): Edit[] {
  const { start, end } = spanOf(node);
  const whole = (text: string): Edit[] => [{ start, end, text }];
  switch (node.type) {
    case 'image':
    case 'imageReference':
      return whole('(a picture)');
    case 'definition':
      // A footnote of one word looks like this.
      if (node.identifier.startsWith('^')) return [];
      if (!referred.has(node.identifier)) return whole('');
      return node.title == null ? [] : whole(`[${node.label ?? node.identifier}]: ${node.url}`);
    case 'link':
      if (node.children.length === 0) return whole('');
      return node.title == null && !/\s/.test(node.url) ? [] : tailEdit(node, source, node.url);
    case 'linkReference':
      if (node.referenceType !== 'full') return [];
      if (node.children.length === 0) return whole('');
      return tailEdit(node, source, addresses.get(node.identifier) ?? '');
    case 'table':
      return surplusCells(node);
    case 'code':
      return isDrawn(node.lang) ? whole('(a picture)') : fenceEdit(node, start, source);
    case 'text':
      return referenceEdits(source.slice(start, end), start);
    default:
      return [];
  }
}

/** A link's tail with the address alone; what it links by stays. An address with blanks is none, but words that nobody sees. */
function tailEdit(
  node: Extract<Nodes, { type: 'link' | 'linkReference' }>,
  source: string,
  url: string,
): Edit[] {
  const { start, end } = spanOf(node);
  const last = node.children.at(-1);
  const from = last === undefined ? start + 1 : spanOf(last).end;
  const address = /\s/.test(url) ? '' : url.replace(/[<>]/g, '');
  // An address in words of its own has no brackets, and no title either.
  return source[from] === ']' ? [{ start: from, end, text: `](<${address}>)` }] : [];
}

/** A row shows as many cells as the table has columns. */
function surplusCells(table: Table): Edit[] {
  const columns = table.children[0]?.children.length ?? 0;
  return table.children.flatMap((row) =>
    row.children.slice(columns).map((cell) => {
      const { start, end } = spanOf(cell);
      return { start, end, text: '' };
    }),
  );
}

/** A fence keeps the name of its language, when it is one. */
function fenceEdit({ lang, meta }: Extract<Nodes, { type: 'code' }>, start: number, source: string): Edit[] {
  if (lang == null) return [];
  const kept = /^[\w+#.-]{1,20}$/.test(lang) ? lang : '';
  if (meta == null && kept === lang) return [];
  const lineEnd = source.indexOf('\n', start);
  const end = lineEnd < 0 ? source.length : lineEnd;
  const fence = /^[`~]+/.exec(source.slice(start, end))?.[0] ?? '';
  return [{ start, end, text: `${fence}${kept}` }];
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
function referenceEdits(text: string, start: number): Edit[] {
  const found = text.matchAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([A-Za-z]+));/gi);
  return [...found].flatMap(({ 0: whole, 1: hex, 2: decimal, 3: name, index }) => {
    const character = name === undefined ? beyondAscii(hex, decimal) : unseenNames[name];
    const at = start + index;
    return character === undefined ? [] : [{ start: at, end: at + whole.length, text: character }];
  });
}

function beyondAscii(hex: string | undefined, decimal: string | undefined): string | undefined {
  const point = hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal);
  return point >= 0x80 && point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}
