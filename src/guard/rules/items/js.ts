import { argumentsOf, callbackOf, chainOf, isCall, stringValue } from '../../parse/call-chain.ts';
import { childByField, type ParsedFile, type SyntaxNode, textOf, walk } from '../../parse/syntax.ts';
import { other, type Shape } from './shape.ts';

const tests = new Set([
  'test',
  'it',
  'specify',
  'fit',
  'xit',
  'xtest',
  'ftest',
  'bench',
  'Deno',
  'QUnit',
  'property',
]);
const suites = new Set([
  'describe',
  'suite',
  'context',
  'fdescribe',
  'xdescribe',
  'xcontext',
  'fcontext',
  'feature',
]);
const hooks = new Set([
  ...[
    'before',
    'after',
    'beforeEach',
    'afterEach',
    'beforeAll',
    'afterAll',
    'setup',
    'teardown',
    'suiteSetup',
  ],
  ...['suiteTeardown', 'onTestFinished', 'onTestFailed', 'background'],
]);

export function jsShape(file: ParsedFile, node: SyntaxNode): Shape {
  if (node.type === 'expression_statement') return callShape(file, node);
  if (node.type === 'import_statement') return imports(file, node);
  if (node.type === 'lexical_declaration' || node.type === 'variable_declaration')
    return variables(file, node);
  if (node.type === 'export_statement') {
    const inner = childByField(node, 'declaration');
    return inner === null ? other() : { ...jsShape(file, inner), body: null };
  }
  if (
    /^(function|generator_function|class|interface|type_alias|enum|abstract_class)_declaration$/.test(
      node.type,
    )
  ) {
    const name = childByField(node, 'name');
    return declared(name === null ? [] : [textOf(file, name)]);
  }
  return other();
}

function declared(bound: readonly string[]): Shape {
  return { kind: 'declaration', name: bound[0] ?? '', body: null, bound };
}

function callShape(file: ParsedFile, statement: SyntaxNode): Shape {
  let call = statement.children.find((child) => child.named) ?? statement;
  if (call.type === 'await_expression') call = call.children.find((child) => child.named) ?? call;
  if (!isCall(call)) return other();
  const chain = chainOf(file, call);
  const [root = '', ...rest] = chain;
  const callback = callbackOf(call);
  const [title] = argumentsOf(call);
  const name = title === undefined ? '' : (stringValue(file, title) ?? textOf(file, title));
  const isSuite =
    suites.has(root) || (tests.has(root) && rest.some((part) => suites.has(part) || part === 'module'));
  if (isSuite && callback !== null) {
    const body = childByField(callback, 'body');
    return { kind: 'container', name, body: body?.type === 'statement_block' ? body : null, bound: [] };
  }
  if (hooks.has(root) || (tests.has(root) && rest.some((part) => hooks.has(part))))
    return { ...other(), kind: 'hook', name: root };
  if (tests.has(root) && title !== undefined) {
    return { kind: 'test', name, body: callback === null ? null : childByField(callback, 'body'), bound: [] };
  }
  return other();
}

function imports(file: ParsedFile, node: SyntaxNode): Shape {
  const clause = node.children.find((child) => child.type === 'import_clause');
  const bound = clause === undefined ? [] : importedNames(file, clause);
  return { kind: 'import', name: bound[0] ?? '', body: null, bound };
}

function importedNames(file: ParsedFile, clause: SyntaxNode): string[] {
  return [...walk(clause)].flatMap((node) => {
    if (node.type === 'import_specifier') {
      const name = childByField(node, 'alias') ?? childByField(node, 'name');
      return name === null ? [] : [textOf(file, name)];
    }
    if (node.type !== 'identifier' || node.parent?.type === 'import_specifier') return [];
    return [textOf(file, node)];
  });
}

function variables(file: ParsedFile, node: SyntaxNode): Shape {
  const declarators = node.children.filter((child) => child.type === 'variable_declarator');
  const bound = declarators.flatMap((each) => patternNames(file, childByField(each, 'name')));
  const required = declarators.every((each) => {
    const value = childByField(each, 'value');
    return (
      value !== null &&
      /^(await import|require|import)$|^(require|import)$/.test(chainOf(file, value)[0] ?? '')
    );
  });
  return { kind: required ? 'import' : 'declaration', name: bound[0] ?? '', body: null, bound };
}

function patternNames(file: ParsedFile, pattern: SyntaxNode | null): string[] {
  if (pattern === null) return [];
  if (pattern.children.length === 0) return [textOf(file, pattern)];
  return [...walk(pattern)]
    .filter((node) => /^(identifier|shorthand_property_identifier_pattern)$/.test(node.type))
    .map((node) => textOf(file, node));
}
