import { argumentsOf, chainOf, stringValue } from '../../parse/call-chain.ts';
import { childByField, findAll, type ParsedFile, type SyntaxNode, textOf } from '../../parse/syntax.ts';
import { nameOf, other, type Shape } from './shape.ts';

const tests = new Set([
  'it',
  'specify',
  'example',
  'scenario',
  'test',
  'should',
  'its',
  'xit',
  'fit',
  'xspecify',
  'fspecify',
  'pending',
  'skip',
]);
const suites = new Set([
  ...['describe', 'context', 'feature', 'xdescribe', 'fdescribe', 'xcontext', 'fcontext', 'shared_examples'],
  ...['shared_examples_for', 'shared_context', 'section'],
]);
const hooks = new Set([
  'before',
  'after',
  'around',
  'setup',
  'teardown',
  'prepend_before',
  'append_after',
  'background',
  'configure',
]);
const hookMethods =
  /^(setup|teardown|before_\w+|after_\w+|run|initialize|method_missing|inherited|included|assert\w*|refute\w*|flunk|skip|test_order|runnable_methods|i_suck_and_my_tests_are_order_dependent!)$/;

export function rubyShape(file: ParsedFile, node: SyntaxNode): Shape {
  if (node.type === 'class' || node.type === 'module') return classShape(file, node);
  if (node.type === 'method' || node.type === 'singleton_method') {
    const name = nameOf(file, node);
    if (node.type === 'method' && /^test/.test(name)) {
      return { kind: 'test', name, body: childByField(node, 'body'), bound: [name] };
    }
    const hook = hookMethods.test(name) || node.type === 'singleton_method';
    return { kind: hook ? 'hook' : 'declaration', name, body: null, bound: [name] };
  }
  if (node.type === 'call') return callShape(file, node);
  if (node.type === 'assignment') {
    const left = childByField(node, 'left');
    if (left !== null && /^(constant|identifier)$/.test(left.type)) {
      const name = textOf(file, left);
      return { kind: 'declaration', name, body: null, bound: [name] };
    }
  }
  return other();
}

function classShape(file: ParsedFile, node: SyntaxNode): Shape {
  const name = nameOf(file, node);
  const body = childByField(node, 'body');
  const parent = childByField(node, 'superclass');
  const isTest = /Test|Spec/.test(name) || (parent !== null && /Test|Spec/.test(textOf(file, parent)));
  const hasTests =
    body !== null &&
    findAll(body, (each) => each.type === 'method').some((each) => /^test/.test(nameOf(file, each)));
  const container = body !== null && (isTest || hasTests);
  return {
    kind: container ? 'container' : 'declaration',
    name,
    body: container ? body : null,
    bound: [name],
  };
}

function callShape(file: ParsedFile, node: SyntaxNode): Shape {
  const chain = chainOf(file, node);
  const method = chain.at(-1) ?? '';
  const root = chain[0] ?? '';
  if (chain.length === 1 && /^(require|require_relative|load|autoload)$/.test(method)) {
    return { kind: 'import', name: textOf(file, node), body: null, bound: [] };
  }
  const block = childByField(node, 'block');
  const titles = argumentsOf(node).map((each) => stringValue(file, each) ?? textOf(file, each));
  const title = titles[0] ?? '';
  const own = chain.length === 1 || root === 'RSpec' || root === 'Minitest';
  const body = block === null ? null : (childByField(block, 'body') ?? block);
  if (own && suites.has(method) && block !== null) return { kind: 'container', name: title, body, bound: [] };
  if (own && tests.has(method)) return { kind: 'test', name: title, body, bound: [] };
  if (/^(let|let!|subject|subject!|def_delegators?|attr_\w+)$/.test(method) && chain.length === 1) {
    return {
      kind: method.endsWith('!') ? 'hook' : 'declaration',
      name: title,
      body: null,
      bound: title === '' ? ['subject'] : [title],
    };
  }
  if (hooks.has(method)) return { ...other(), kind: 'hook', name: method };
  return other();
}
