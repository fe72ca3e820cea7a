import { chainOf } from '../../parse/call-chain.ts';
import { childByField, type ParsedFile, type SyntaxNode, textOf, walk } from '../../parse/syntax.ts';
import { nameOf, other, type Shape } from './shape.ts';

const hooks =
  /^(setUp|tearDown|setUpClass|tearDownClass|setUpModule|tearDownModule|asyncSetUp|asyncTearDown|setup(_method|_class|_module|_function)?|teardown(_method|_class|_module|_function)?|load_tests|run|runTest|debug|__\w+__|pytest_\w+|addCleanup|doCleanups|pytestmark|collect_ignore\w*|pytest_plugins|_callTestMethod|subTest|fail|skipTest|assert\w+)$/;

export function pythonShape(file: ParsedFile, node: SyntaxNode): Shape {
  if (node.type === 'import_statement' || node.type === 'import_from_statement') return imports(file, node);
  if (node.type === 'decorated_definition') return decorated(file, node);
  if (node.type === 'function_definition') return functionShape(file, node);
  if (node.type === 'class_definition') return classShape(file, node);
  if (node.type === 'expression_statement') return assignment(file, node);
  return other();
}

function imports(file: ParsedFile, node: SyntaxNode): Shape {
  const named = node.children.filter((child) => child.field === 'name');
  const bound = named.map((child) => {
    const alias = childByField(child, 'alias');
    if (alias !== null) return textOf(file, alias);
    const name = child.type === 'aliased_import' ? childByField(child, 'name') : child;
    const text = textOf(file, name ?? child);
    return node.type === 'import_statement' ? (text.split('.')[0] ?? text) : text;
  });
  return { kind: 'import', name: bound[0] ?? '', body: null, bound };
}

function decorated(file: ParsedFile, node: SyntaxNode): Shape {
  const inner = childByField(node, 'definition');
  if (inner === null) return other();
  const shape = pythonShape(file, inner);
  const autouse = node.children.some(
    (child) =>
      child.type === 'decorator' && /fixture\b[\s\S]*\bautouse\s*=\s*(?!False)/.test(textOf(file, child)),
  );
  const fixture = node.children.some(
    (child) => child.type === 'decorator' && /\bfixture\b/.test(textOf(file, child)),
  );
  if (autouse) return { ...shape, kind: 'hook' };
  return fixture && shape.kind === 'test' ? { ...shape, kind: 'declaration' } : shape;
}

function functionShape(file: ParsedFile, node: SyntaxNode): Shape {
  const name = nameOf(file, node);
  const body = childByField(node, 'body');
  if (/^test/.test(name)) return { kind: 'test', name, body, bound: [name] };
  return { kind: hooks.test(name) ? 'hook' : 'declaration', name, body: null, bound: [name] };
}

function classShape(file: ParsedFile, node: SyntaxNode): Shape {
  const name = nameOf(file, node);
  const body = childByField(node, 'body');
  const bases = childByField(node, 'superclasses');
  const isTest =
    /^Test|Tests?$|TestCase/.test(name) || (bases !== null && /Test|Spec|Case/.test(textOf(file, bases)));
  const hasTests =
    body !== null &&
    [...walk(body)].some((each) => each.type === 'function_definition' && /^test/.test(nameOf(file, each)));
  const container = body !== null && (isTest || hasTests);
  return {
    kind: container ? 'container' : 'declaration',
    name,
    body: container ? body : null,
    bound: [name],
  };
}

function assignment(file: ParsedFile, node: SyntaxNode): Shape {
  const inner = node.children[0];
  if (inner?.type !== 'assignment') return other();
  const left = childByField(inner, 'left');
  const names =
    left === null
      ? []
      : left.type === 'identifier'
        ? [left]
        : left.children.filter((child) => child.type === 'identifier');
  const bound = names.map((each) => textOf(file, each));
  const plain = left !== null && /^(identifier|pattern_list|tuple_pattern)$/.test(left.type);
  if (!plain || bound.length === 0) return other();
  const hook = bound.some((each) => hooks.test(each)) || chainOf(file, inner)[0] === '<lambda>';
  return { kind: hook ? 'hook' : 'declaration', name: bound[0] ?? '', body: null, bound };
}
