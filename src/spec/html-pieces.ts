import type { Nodes } from 'mdast';
import { spanOf } from './markdown.ts';
import { type OpenMarkup, shownHtml } from './shown-html.ts';

/** A piece of HTML in a text, and what the page shows of it. */
export interface HtmlPiece {
  /** Where what it hides begins: before `start` when it closes what an earlier piece left open. */
  readonly hiddenFrom: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * The pieces of HTML in a text. A comment or an attribute's value that one leaves open goes on through the blocks behind it,
 * whose own signs are escaped in the page: to the piece that closes it, or to the end of the text.
 * What stands between the two tags of a script is no text either.
 */
export function htmlPieces(nodes: Iterable<Nodes>, source: string): HtmlPiece[] {
  const pieces: HtmlPiece[] = [];
  let open: OpenMarkup | null = null;
  let openFrom = 0;
  let raw: { readonly close: RegExp; readonly from: number } | null = null;
  for (const node of nodes) {
    if (node.type !== 'html') continue;
    const { start, end } = spanOf(node);
    const html = source.slice(start, end);
    const shown = shownHtml(html, open);
    const hiddenFrom = open !== null ? openFrom : raw?.close.test(html) ? raw.from : start;
    pieces.push({ hiddenFrom, start, end, text: shown.text });
    if (hiddenFrom !== start) raw = null;
    const [, name] = /^<(script|style)\b[^>]*>$/i.exec(html) ?? [];
    if (name !== undefined) raw = { close: new RegExp(`^</${name}`, 'i'), from: end };
    open = shown.open;
    openFrom = end;
  }
  const { length } = source;
  return open === null ? pieces : [...pieces, { hiddenFrom: openFrom, start: length, end: length, text: '' }];
}

/** True when more than HTML is hidden by HTML: blocks that look like text to whoever reads the source only. */
export function hidesBlocks(nodes: Iterable<Nodes>, source: string): boolean {
  return htmlPieces(nodes, source).some(
    ({ hiddenFrom, start }) => source.slice(hiddenFrom, start).trim() !== '',
  );
}
