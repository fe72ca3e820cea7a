import { isDirective } from '../../parse/directives.ts';
import type { Family } from '../../parse/languages.ts';
import { familyOf } from '../../parse/languages.ts';
import { isComment, type ParsedFile, type SyntaxNode, textOf } from '../../parse/syntax.ts';
import { csharpShape } from './csharp.ts';
import { goShape } from './go.ts';
import { javaShape } from './java.ts';
import { jsShape } from './js.ts';
import { phpShape } from './php.ts';
import { pythonShape } from './python.ts';
import { rubyShape } from './ruby.ts';
import { rustShape } from './rust.ts';
import type { Shape } from './shape.ts';

export interface Item extends Shape {
  /** Attributes and obeyed comments that stand before the statement, then the statement. */
  readonly parts: readonly SyntaxNode[];
  readonly node: SyntaxNode;
  readonly containers: readonly string[];
}

const shapes: Readonly<
  Record<Family, (file: ParsedFile, node: SyntaxNode, parts: readonly SyntaxNode[]) => Shape>
> = {
  js: jsShape,
  python: pythonShape,
  go: goShape,
  rust: rustShape,
  java: javaShape,
  ruby: rubyShape,
  php: phpShape,
  csharp: csharpShape,
};

const punctuation = new Set(['{', '}', ';', ':', 'do', 'end', 'php_tag', '?>', '=>', ',']);

/** The items of a statement list, in order. */
export function itemsOf(file: ParsedFile, list: SyntaxNode, containers: readonly string[]): Item[] {
  const items: Item[] = [];
  let before: SyntaxNode[] = [];
  for (const node of list.children) {
    if (punctuation.has(node.type)) continue;
    if (isComment(node)) {
      if (isDirective(file.language, textOf(file, node))) before.push(node);
      continue;
    }
    if (node.type === 'attribute_item' || node.type === 'inner_attribute_item') {
      before.push(node);
      continue;
    }
    const parts = [...before, node];
    before = [];
    items.push({ ...shapes[familyOf(file.language)](file, node, parts), parts, node, containers });
  }
  for (const node of before)
    items.push({ kind: 'other', name: '', body: null, bound: [], parts: [node], node, containers });
  return items;
}

/** The items of a whole file. */
export function rootItems(file: ParsedFile): Item[] {
  return itemsOf(file, file.root, []);
}

/** The items inside a container. */
export function innerItems(file: ParsedFile, item: Item): Item[] {
  return item.body === null ? [] : itemsOf(file, item.body, [...item.containers, item.name]);
}

/** All units of a file with the names of their containers. */
export function unitsOf(file: ParsedFile, items: readonly Item[] = rootItems(file)): Item[] {
  return items.flatMap((item) => {
    if (item.kind === 'test') return [item];
    return item.kind === 'container' ? unitsOf(file, innerItems(file, item)) : [];
  });
}
