import { childByField, findAll, type ParsedFile, type SyntaxNode, textOf } from '../../parse/syntax.ts';
import { nameOf, other, type Shape } from './shape.ts';

export function goShape(file: ParsedFile, node: SyntaxNode): Shape {
  if (node.type === 'import_declaration') return imports(file, node);
  if (node.type === 'function_declaration' || node.type === 'method_declaration')
    return functionShape(file, node);
  if (/^(const|var|type)_declaration$/.test(node.type)) {
    const specs = findAll(node, (each) => /^(const_spec|var_spec|type_spec|type_alias)$/.test(each.type));
    const bound = specs.flatMap((spec) =>
      spec.children.filter((child) => child.field === 'name').map((child) => textOf(file, child)),
    );
    return { kind: 'declaration', name: bound[0] ?? '', body: null, bound };
  }
  return other();
}

function imports(file: ParsedFile, node: SyntaxNode): Shape {
  const specs = findAll(node, (each) => each.type === 'import_spec');
  const bound = specs.map((spec) => {
    const alias = childByField(spec, 'name');
    const path = childByField(spec, 'path');
    if (alias !== null) return textOf(file, alias);
    return path === null
      ? ''
      : (textOf(file, path)
          .replace(/["`]/g, '')
          .replace(/\/v\d+$/, '')
          .split('/')
          .at(-1) ?? '');
  });
  return { kind: 'import', name: bound[0] ?? '', body: null, bound };
}

function functionShape(file: ParsedFile, node: SyntaxNode): Shape {
  const name = nameOf(file, node);
  const body = childByField(node, 'body');
  if (/^(TestMain|init)$/.test(name)) return { kind: 'hook', name, body: null, bound: [name] };
  if (
    /^(Setup|TearDown|Before|After)(Suite|Test|SubTest)?$/.test(name) &&
    node.type === 'method_declaration'
  ) {
    return { kind: 'hook', name, body: null, bound: [name] };
  }
  const isTest = /^(Test|Fuzz|Example|Benchmark)($|[^a-z])/.test(name);
  return { kind: isTest ? 'test' : 'declaration', name, body: isTest ? body : null, bound: [name] };
}
