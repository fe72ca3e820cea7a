import type { ParsedFile, SyntaxNode } from '../parse/syntax.ts';

/** Attributes that stand before an item of Rust, nearest last. */
export function rustAttributes(node: SyntaxNode): SyntaxNode[] {
  const siblings = node.parent?.children ?? [];
  const found: SyntaxNode[] = [];
  for (let index = siblings.indexOf(node) - 1; index >= 0; index--) {
    const before = siblings[index];
    if (before?.type === 'attribute_item') found.unshift(before);
    else if (before === undefined || !before.type.endsWith('comment')) break;
  }
  return found;
}

/** Whether an item of Rust is compiled for tests alone: exactly `#[cfg(test)]`, or a test function. */
export function isRustTest(file: ParsedFile, node: SyntaxNode): boolean {
  if (!/_item$/.test(node.type) || node.type === 'attribute_item') return false;
  return rustAttributes(node).some((attribute) => {
    const text = file.text.slice(attribute.start, attribute.end).replace(/\s+/g, '');
    return /^#\[(cfg\(test\)|(\w+::)*test(\(.*\))?|rstest(\(.*\))?|test_case\(.*\)|quickcheck)\]$/.test(text);
  });
}

/** The outermost items of a Rust file that belong to its tests. */
export function rustTestItems(file: ParsedFile): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const visit = (node: SyntaxNode): void => {
    for (const child of node.children) {
      if (isRustTest(file, child)) found.push(child);
      else if (child.type === 'mod_item' || child.type === 'declaration_list') visit(child);
    }
  };
  visit(file.root);
  return found;
}

/** Whether the node lies in one of the items, or is an attribute of one. */
export function insideItems(items: readonly SyntaxNode[], node: SyntaxNode): boolean {
  return items.some((item) => {
    const first = rustAttributes(item)[0] ?? item;
    return node.start >= first.start && node.end <= item.end;
  });
}
