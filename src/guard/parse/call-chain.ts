import { childByField, type ParsedFile, type SyntaxNode, textOf } from './syntax.ts';

const calls = new Set([
  ...['call_expression', 'call', 'method_invocation', 'macro_invocation', 'invocation_expression'],
  ...['function_call_expression', 'member_call_expression', 'scoped_call_expression'],
  ...['nullsafe_member_call_expression', 'new_expression', 'object_creation_expression', 'command_call'],
]);

/** Whether a node calls, constructs or expands something. */
export function isCall(node: SyntaxNode): boolean {
  return node.named && calls.has(node.type);
}

/** Fields that hold the left part of a dotted name or of a call, over all grammars. */
const leftFields = [
  'object',
  'receiver',
  'operand',
  'value',
  'scope',
  'path',
  'expression',
  'function',
  'macro',
  'constructor',
];
const nameFields = ['property', 'attribute', 'field', 'name', 'method'];
const wrappers = new Set([
  ...[
    'parenthesized_expression',
    'await_expression',
    'await',
    'non_null_expression',
    'as_expression',
    'expression_statement',
  ],
  ...[
    'satisfies_expression',
    'generic_function',
    'reference_expression',
    'unary_expression',
    'variable_name',
  ],
]);

/**
 * The names of a dotted expression from its root on, calls on the way left out: `it.only.each(x)(y)` is `it`, `only`, `each`.
 * A computed member is `[…]` with its literal, anything that is no name `<type>`.
 */
export function chainOf(file: ParsedFile, node: SyntaxNode): string[] {
  if (node.children.length === 0) return [textOf(file, node)];
  if (
    node.type === 'subscript_expression' ||
    node.type === 'subscript' ||
    node.type === 'element_reference'
  ) {
    const root = node.children[0];
    const key = node.children.slice(1).filter((child) => child.named);
    const text = key.map((child) => textOf(file, child)).join(',');
    return [...(root === undefined ? [] : chainOf(file, root)), `[${text}]`];
  }
  if (wrappers.has(node.type)) {
    const inner = node.children.find((child) => child.named);
    return node.type === 'variable_name'
      ? [textOf(file, node)]
      : inner === undefined
        ? ['<empty>']
        : chainOf(file, inner);
  }
  const left = leftFields.map((field) => childByField(node, field)).find((child) => child !== null) ?? null;
  const name =
    nameFields.map((field) => childByField(node, field)).find((child) => child !== null && child !== left) ??
    null;
  if (left !== null || name !== null) {
    const type = node.type === 'object_creation_expression' ? childByField(node, 'type') : null;
    return [left, name, type].flatMap((part) => (part === null ? [] : chainOf(file, part)));
  }
  if (
    /qualified_name|scoped_identifier|scoped_type|dotted_name|scope_resolution|namespace_name|generic_/.test(
      node.type,
    )
  ) {
    return node.children.filter((child) => child.named).flatMap((child) => chainOf(file, child));
  }
  if (node.type === 'object_creation_expression') {
    const type = node.children.find((child) => child.named);
    return type === undefined ? ['<new>'] : chainOf(file, type);
  }
  return [`<${node.type}>`];
}

/** Arguments of a call as nodes, wrappers of grammars taken off. Macros of Rust have tokens, no nodes: see `macroArguments`. */
export function argumentsOf(node: SyntaxNode): SyntaxNode[] {
  const list =
    childByField(node, 'arguments') ?? node.children.find((child) => /^argument(s|_list)$/.test(child.type));
  const given = (list?.children ?? []).filter((child) => child.named && !child.type.endsWith('comment'));
  return given.map((child) =>
    child.type === 'argument' ? (child.children.findLast((part) => part.named) ?? child) : child,
  );
}

/** Arguments of a Rust macro as runs of tokens. */
export function macroArguments(node: SyntaxNode): SyntaxNode[][] {
  const tree = node.children.find((child) => child.type === 'token_tree');
  const groups: SyntaxNode[][] = [[]];
  for (const token of tree?.children.slice(1, -1) ?? []) {
    if (token.type === ',') groups.push([]);
    else groups.at(-1)?.push(token);
  }
  return groups.filter((group) => group.length > 0);
}

/** The function literal that a call is given, if any: its last one. */
export function callbackOf(node: SyntaxNode): SyntaxNode | null {
  const block = childByField(node, 'block');
  if (block !== null) return block;
  const found = argumentsOf(node).findLast((argument) => isFunctionLiteral(argument));
  return found ?? null;
}

export function isFunctionLiteral(node: SyntaxNode): boolean {
  return /^(arrow_function|function_expression|function|generator_function|func_literal|lambda|lambda_expression|closure_expression|anonymous_function(_creation_expression)?|anonymous_method_expression|do_block|block)$/.test(
    node.type,
  );
}

/** What a string literal says, without its quotes; null for other nodes and for strings with parts to be computed. */
export function stringValue(file: ParsedFile, node: SyntaxNode): string | null {
  const text = textOf(file, node);
  if (!/string|template|char|symbol/.test(node.type) || /_array$/.test(node.type)) return null;
  if (/\$\{|#\{/.test(text) && /^[`"fF$]/.test(text)) return null;
  if (text.startsWith(':')) return text.slice(1);
  const match = /^[a-zA-Z$@]*(#*)("""|'''|["'`])([\s\S]*)\2\1[a-z]*$/.exec(text);
  return match === null ? null : unescapeText(match[3] ?? '', match[2] ?? '');
}

function unescapeText(text: string, quote: string): string {
  if (quote === '`' && !text.includes('\\')) return text;
  return text.replace(
    /\\(u\{([0-9a-f]+)\}|u([0-9a-f]{4})|x([0-9a-f]{2})|.)/gi,
    (whole, code: string, braces, four, two) => {
      const hex: string | undefined = braces ?? four ?? two;
      if (hex !== undefined)
        return Number.parseInt(hex, 16) <= 0x10ffff ? String.fromCodePoint(Number.parseInt(hex, 16)) : whole;
      const known = { n: '\n', t: '\t', r: '\r', '0': '\0' }[code];
      return known ?? code;
    },
  );
}
