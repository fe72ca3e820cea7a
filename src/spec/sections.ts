import type { Code, Heading, RootContent } from 'mdast';
import { toString as plainText } from 'mdast-util-to-string';
import { saysOnlyDependencies } from './dependency-lines.ts';
import { type MarkdownText, spanOf, walk } from './markdown.ts';
import { type FieldName, fieldOfHeading } from './spec-fields.ts';

export interface Section {
  readonly field: FieldName;
  readonly line: number;
  readonly nodes: readonly RootContent[];
}

export interface Sections {
  readonly sections: readonly Section[];
  /** Fenced `ccd` blocks at the top level of the text. */
  readonly blocks: readonly Code[];
  /** Lines of `ccd` blocks inside a list or a quotation, which are not read. */
  readonly buriedBlocks: readonly number[];
  /** Headings of the author's own, which end a field unless they lie deeper than its heading. */
  readonly others: readonly string[];
}

/**
 * Splits a text at the headings that name a field. Only headings at the top level count: one inside a fence, a list or a
 * quotation is content.
 */
export function readSections(text: MarkdownText): Sections {
  const sections: { field: FieldName; line: number; depth: number; nodes: RootContent[] }[] = [];
  const blocks: Code[] = [];
  const others: string[] = [];
  let current: (typeof sections)[number] | null = null;
  for (const node of text.root.children) {
    if (isCcdBlock(node)) {
      blocks.push(node);
    } else if (node.type === 'heading') {
      const field = fieldOfHeading(plainText(node));
      if (field !== null) {
        current = { field, line: spanOf(node).line, depth: node.depth, nodes: [] };
        sections.push(current);
      } else if (current !== null && node.depth > current.depth) {
        current.nodes.push(node);
      } else {
        others.push(titleOf(node));
        current = null;
      }
    } else if (node.type !== 'paragraph' || !saysOnlyDependencies(plainText(node))) {
      current?.nodes.push(node);
    }
  }
  return { sections, blocks, buriedBlocks: buriedBlocks(text, blocks), others };
}

function titleOf(heading: Heading): string {
  return plainText(heading).replace(/\s+/g, ' ').trim().slice(0, 80);
}

function isCcdBlock(node: { type: string }): node is Code {
  return node.type === 'code' && (node as Code).lang?.toLowerCase() === 'ccd';
}

function buriedBlocks(text: MarkdownText, top: readonly Code[]): number[] {
  const lines: number[] = [];
  for (const node of walk(text.root)) {
    if (isCcdBlock(node) && !top.includes(node)) lines.push(spanOf(node).line);
  }
  return lines;
}
