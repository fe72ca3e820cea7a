import type { Language } from './languages.ts';

/** A node of a syntax tree as plain data. `start` and `end` count UTF-16 units of the text, `line` counts from 1. */
export interface SyntaxNode {
  readonly type: string;
  readonly named: boolean;
  readonly field: string | null;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly children: readonly SyntaxNode[];
  readonly parent: SyntaxNode | null;
  /** All nodes of the tree, parents first; this one and everything below it stand from `at` up to `until`. */
  readonly order: readonly SyntaxNode[];
  readonly at: number;
  readonly until: number;
}

export interface ParsedFile {
  readonly language: Language;
  readonly text: string;
  readonly root: SyntaxNode;
  /** Lines of the places that the grammar could not make sense of. */
  readonly errorLines: readonly number[];
}

/**
 * Turns text into a tree; null when the text is too large or nests too deep. Pure: the grammars are loaded beforehand.
 * Throws `guard.parse-timeout` when the machine was too slow.
 */
export interface Parsers {
  parse(language: Language, text: string): ParsedFile | null;
}

export function textOf(file: ParsedFile, node: SyntaxNode): string {
  return file.text.slice(node.start, node.end);
}

export function childByField(node: SyntaxNode, field: string): SyntaxNode | null {
  return node.children.find((child) => child.field === field) ?? null;
}

/** The node and everything below it, parents first. */
export function walk({ order, at, until }: SyntaxNode): readonly SyntaxNode[] {
  return at === 0 && until === order.length ? order : order.slice(at, until);
}

export function findAll(node: SyntaxNode, wanted: (node: SyntaxNode) => boolean): SyntaxNode[] {
  return walk(node).filter(wanted);
}

export function contains({ order, at, until }: SyntaxNode, wanted: (node: SyntaxNode) => boolean): boolean {
  for (let index = at; index < until; index++) {
    const each = order[index];
    if (each !== undefined && wanted(each)) return true;
  }
  return false;
}

/** The parents of a node, nearest first. */
export function* ancestors(node: SyntaxNode): Generator<SyntaxNode> {
  for (let next = node.parent; next !== null; next = next.parent) yield next;
}

export function isComment(node: SyntaxNode): boolean {
  return node.type.endsWith('comment');
}
