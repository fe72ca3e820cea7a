import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

/** A parsed text together with the exact characters that its positions count. */
export interface MarkdownText {
  readonly source: string;
  readonly root: Root;
}

/** GitHub refuses longer issue bodies; counted in code points. */
export const maxBodyLength = 65_536;
/** The parser takes time that grows with the square of a list's length. */
export const maxBodyLines = 3000;
const maxNesting = 40;
const nestedLine = new RegExp(`^(?:[ \\t]*(?:>|(?:[-*+]|\\d{1,9}[.)])[ \\t])){${maxNesting},}`, 'm');

/** Line ends become LF and a leading byte order mark goes; nothing else is touched, so line numbers stay. */
export function normaliseLineEnds(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}

/** The parser takes time that grows with the square of the marks in one paragraph: so many take it a second. */
const maxMarks = 8000;

/** Texts that no person writes but that make a Markdown parser slow or deep. */
export function isTooDeep(text: string): boolean {
  if (nestedLine.test(text)) return true;
  const paragraphs = normaliseLineEnds(text).split(/\n[ \t]*\n/);
  return paragraphs.some((one) => (one.match(/\*+|_+|~+|\[+/g)?.length ?? 0) > maxMarks);
}

/** Footnotes mean nothing in a spec, and thousands of half-written ones take the parser seconds. */
const withoutFootnotes = {
  disable: { null: ['gfmFootnoteCall', 'gfmFootnoteDefinition', 'gfmPotentialFootnoteCall'] },
};

/** Parses CommonMark with GitHub's extensions. Positions refer to the returned `source`. */
export function readMarkdown(text: string): MarkdownText {
  const source = normaliseLineEnds(text);
  const root = fromMarkdown(source, {
    extensions: [gfm(), withoutFootnotes],
    mdastExtensions: [gfmFromMarkdown()],
  });
  return { source, root };
}

/** Offsets of a node in the source; nodes made by the parser always have a position. */
export function spanOf(node: Nodes): { start: number; end: number; line: number } {
  const position = node.position;
  return {
    start: position?.start.offset ?? 0,
    end: position?.end.offset ?? 0,
    line: position?.start.line ?? 1,
  };
}

/** The node and everything below it in document order, without recursion: depth is the author's choice. */
export function* walk(start: Nodes): Generator<Nodes> {
  const open: Nodes[] = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    if ('children' in node) open.push(...[...node.children].reverse());
  }
}

/** The source with HTML comments blanked out, so that what readers cannot see is not read. Offsets and lines stay. */
export function withoutComments(text: MarkdownText): string {
  let visible = text.source;
  for (const node of walk(text.root)) {
    if (node.type !== 'html' || !node.value.includes('<!--')) continue;
    const { start, end } = spanOf(node);
    const blanked = visible.slice(start, end).replace(/<!--[\s\S]*?(?:-->|$)/g, blank);
    visible = visible.slice(0, start) + blanked + visible.slice(end);
  }
  return visible;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
