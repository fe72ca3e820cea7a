import { childByField, type ParsedFile, type SyntaxNode, textOf, walk } from '../../parse/syntax.ts';
import { nameOf, other, type Shape } from './shape.ts';

const testAttribute =
  /^#\[\s*((\w+::)*test\b|rstest\b|test_case\b|quickcheck\b|proptest\b|bench\b|wasm_bindgen_test\b)/;

export function rustShape(file: ParsedFile, node: SyntaxNode, parts: readonly SyntaxNode[]): Shape {
  const name = nameOf(file, node);
  if (node.type === 'use_declaration' || node.type === 'extern_crate_declaration') return imports(file, node);
  if (node.type === 'function_item') {
    const isTest = parts.some((part) => testAttribute.test(textOf(file, part)));
    const hook = parts.some((part) => /\b(ctor|dtor|no_mangle|export_name)\b/.test(textOf(file, part)));
    if (hook) return { kind: 'hook', name, body: null, bound: [name] };
    return {
      kind: isTest ? 'test' : 'declaration',
      name,
      body: isTest ? childByField(node, 'body') : null,
      bound: [name],
    };
  }
  if (node.type === 'mod_item') {
    const body = childByField(node, 'body');
    return { kind: body === null ? 'declaration' : 'container', name, body, bound: [name] };
  }
  if (node.type === 'macro_definition') return { kind: 'declaration', name, body: null, bound: [name] };
  if (/_item$/.test(node.type) && node.type !== 'attribute_item') {
    return { kind: 'declaration', name, body: null, bound: name === '' ? [] : [name] };
  }
  return other();
}

function imports(file: ParsedFile, node: SyntaxNode): Shape {
  const bound: string[] = [];
  for (const each of walk(node)) {
    if (each.children.length > 0 || !/identifier/.test(each.type)) continue;
    const parent = each.parent;
    const last = parent?.type !== 'scoped_identifier' || each.field === 'name';
    const renamed = parent?.type === 'use_as_clause' && each.field !== 'alias';
    if (last && !renamed && !inPath(each)) bound.push(textOf(file, each));
  }
  return { kind: 'import', name: bound[0] ?? '', body: null, bound };
}

function inPath(node: SyntaxNode): boolean {
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) if (at.field === 'path') return true;
  return false;
}
