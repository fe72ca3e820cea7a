import { argumentsOf, callbackOf, chainOf, isCall, stringValue } from '../../parse/call-chain.ts';
import { childByField, findAll, type ParsedFile, type SyntaxNode, textOf } from '../../parse/syntax.ts';
import { annotationNames, nameOf, other, type Shape } from './shape.ts';

const hooks =
  /^(setUp|tearDown|setUpBeforeClass|tearDownAfterClass|__construct|__destruct|__call|__callStatic|run|runTest|runBare|onNotSuccessfulTest|assertPreConditions|assertPostConditions|assert\w+|expect\w+|fail|createMock|createStub)$/;

export function phpShape(file: ParsedFile, node: SyntaxNode, parts: readonly SyntaxNode[]): Shape {
  if (node.type === 'namespace_use_declaration') return imports(file, node);
  if (node.type === 'namespace_definition') {
    const body = childByField(node, 'body');
    return body === null ? other() : { kind: 'container', name: nameOf(file, node), body, bound: [] };
  }
  if (/^(class|trait|interface|enum)_declaration$/.test(node.type)) return classShape(file, node);
  if (node.type === 'method_declaration') return methodShape(file, node, parts);
  if (node.type === 'function_definition') return declared([nameOf(file, node)]);
  if (node.type === 'property_declaration' || node.type === 'const_declaration') {
    const names = findAll(node, (each) => /^(property_element|const_element)$/.test(each.type));
    return declared(names.map((each) => textOf(file, each.children[0] ?? each)));
  }
  if (node.type === 'use_declaration') return { ...other(), kind: 'hook', name: 'trait' };
  if (node.type === 'expression_statement') return callShape(file, node);
  return other();
}

function declared(bound: readonly string[]): Shape {
  return { kind: 'declaration', name: bound[0] ?? '', body: null, bound };
}

function imports(file: ParsedFile, node: SyntaxNode): Shape {
  const clauses = findAll(node, (each) => each.type === 'namespace_use_clause');
  const bound = clauses.map((each) => {
    const alias = childByField(each, 'alias');
    return (alias === null ? textOf(file, each) : textOf(file, alias)).split('\\').at(-1)?.trim() ?? '';
  });
  return { kind: 'import', name: bound[0] ?? '', body: null, bound };
}

function classShape(file: ParsedFile, node: SyntaxNode): Shape {
  const name = nameOf(file, node);
  const body = childByField(node, 'body');
  const hasTests =
    body !== null &&
    findAll(body, (each) => each.type === 'method_declaration').some((each) =>
      /^test/.test(nameOf(file, each)),
    );
  const container =
    body !== null &&
    node.type !== 'interface_declaration' &&
    (hasTests || /Test(Case)?$|Spec$|Cest$/.test(name));
  return {
    kind: container ? 'container' : 'declaration',
    name,
    body: container ? body : null,
    bound: [name],
  };
}

function methodShape(file: ParsedFile, node: SyntaxNode, parts: readonly SyntaxNode[]): Shape {
  const name = nameOf(file, node);
  const attributes = annotationNames(file, node.children);
  const comments = parts.slice(0, -1).map((part) => textOf(file, part));
  const wrapsTests =
    attributes.some((each) => /^(Before|After)/.test(each)) ||
    comments.some((each) => /@(before|after)/.test(each));
  if (hooks.test(name) || wrapsTests) return { kind: 'hook', name, body: null, bound: [name] };
  const isTest =
    /^test/.test(name) || attributes.includes('Test') || comments.some((each) => /@test\b/.test(each));
  return {
    kind: isTest ? 'test' : 'declaration',
    name,
    body: isTest ? childByField(node, 'body') : null,
    bound: [name],
  };
}

function callShape(file: ParsedFile, statement: SyntaxNode): Shape {
  const call = statement.children.find((child) => child.named);
  if (call === undefined || !isCall(call)) return other();
  const [root = ''] = chainOf(file, call);
  if (/^(beforeEach|afterEach|beforeAll|afterAll|uses|pest)$/.test(root))
    return { ...other(), kind: 'hook', name: root };
  const first = findAll(call, (each) => each.type === 'function_call_expression')[0] ?? call;
  const [title] = argumentsOf(first);
  if (!/^(test|it|describe)$/.test(root) || title === undefined) return other();
  const callback = callbackOf(first);
  const name = stringValue(file, title) ?? textOf(file, title);
  return {
    kind: root === 'describe' ? 'container' : 'test',
    name,
    body: callback === null ? null : childByField(callback, 'body'),
    bound: [],
  };
}
