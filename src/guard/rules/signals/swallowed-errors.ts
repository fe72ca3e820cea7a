import { argumentsOf, chainOf, isCall } from '../../parse/call-chain.ts';
import {
  childByField,
  contains,
  findAll,
  isComment,
  type ParsedFile,
  type SyntaxNode,
  textOf,
  walk,
} from '../../parse/syntax.ts';
import { type Signal, signal } from './signal.ts';

const broad =
  /\b(Exception|BaseException|Throwable|RuntimeException|Error|StandardError|SystemException|AssertionError|AssertionFailedError|AssertionFailedException|XunitException)\b/;
const logging =
  /^(console|log|logger|logging|Log|LOG|warn|print|puts|p|pp|error_log|fmt|eprintln|println|System|trigger_error|Debug|Trace|debug)$/;

/** Code that makes errors disappear: broad or empty handlers that neither pass the error on nor use it, and dropped results. */
export function swallowSignals(file: ParsedFile): Signal[] {
  const found: Signal[] = [];
  for (const node of walk(file.root)) {
    const what = swallowed(file, node);
    if (what !== null) found.push(signal(file, 'error-swallowed', node, what));
  }
  return found;
}

function swallowed(file: ParsedFile, node: SyntaxNode): string | null {
  if (!node.named) return null;
  if (/^(catch_clause|except_clause|except_group_clause|rescue)$/.test(node.type)) return handler(file, node);
  if (node.type === 'rescue_modifier') return 'turns any error into a value';
  if (
    node.type === 'error_suppression_expression' ||
    (file.language === 'php' && node.type === 'unary_op_expression' && textOf(file, node).startsWith('@'))
  )
    return 'silences errors';
  if (file.language === 'go') return goDrop(file, node);
  if (file.language === 'rust') return rustDrop(file, node);
  if (isCall(node)) return droppedByCall(file, node);
  return null;
}

function handler(file: ParsedFile, node: SyntaxNode): string | null {
  const body =
    childByField(node, 'body') ??
    node.children.findLast((child) => /block|then|statement/.test(child.type)) ??
    null;
  const statements = (body?.children ?? []).filter(
    (child) => child.named && !isComment(child) && !/^(pass_statement|empty_statement)$/.test(child.type),
  );
  if (body !== null && passesOn(file, body)) return null;
  const head = textOf(file, node).slice(0, (body?.start ?? node.end) - node.start);
  const untyped =
    /^(javascript|typescript|tsx)$/.test(file.language) ||
    /^\s*(except\s*:|rescue\s*(=>\s*\w+)?\s*(then)?$|catch\s*\{?\s*$)/m.test(head.trim());
  const wide =
    untyped ||
    broad.test(head.replace(/\b\w+(?:Error|Exception)\b/g, (name) => (broad.test(name) ? name : '')));
  if (
    statements.length === 0 &&
    (wide || file.language === 'java' || file.language === 'c-sharp' || file.language === 'php')
  )
    return 'ignores errors';
  if (!wide) return null;
  return usesError(file, node, body) ? null : 'swallows any error';
}

/** The handler raises, rejects, ends with a failure or hands the error to a callback. */
function passesOn(file: ParsedFile, body: SyntaxNode): boolean {
  return contains(body, (node) => {
    if (/^(throw_statement|raise_statement|throw_expression|throw)$/.test(node.type)) return true;
    if (node.type === 'identifier' && /^(raise|reject|fail!)$/.test(textOf(file, node))) return true;
    return (
      isCall(node) &&
      /^(raise|reject|next|cb|callback|done|fail|panic|Fatal|abort|throw|rethrow|exit)$/.test(
        chainOf(file, node).at(-1) ?? '',
      )
    );
  });
}

/** The error's name is used for more than logging. */
function usesError(file: ParsedFile, node: SyntaxNode, body: SyntaxNode | null): boolean {
  const named =
    childByField(node, 'parameter') ??
    childByField(node, 'name') ??
    node.children.find((child) =>
      /as_pattern|exception_variable|catch_declaration|catch_formal_parameter/.test(child.type),
    ) ??
    null;
  if (named === null || body === null) return false;
  const name = [...walk(named)].findLast(
    (each) => each.children.length === 0 && /identifier|^name$/.test(each.type),
  );
  if (name === undefined) return false;
  const text = textOf(file, name);
  return findAll(body, (each) => each.children.length === 0 && textOf(file, each) === text).some((use) => {
    for (let at = use.parent; at !== null && at !== body; at = at.parent) {
      if (isCall(at) && logging.test(chainOf(file, at)[0] ?? '')) return false;
    }
    return true;
  });
}

function droppedByCall(file: ParsedFile, node: SyntaxNode): string | null {
  const chain = chainOf(file, node);
  const last = chain.at(-1) ?? '';
  if (last === 'suppress' && /^(contextlib|suppress)$/.test(chain[0] ?? '')) {
    const [first] = argumentsOf(node);
    return first !== undefined &&
      broad.test(textOf(file, first)) &&
      !/\w+(Error|Exception)\b/.test(textOf(file, first).replace(/^(Exception|BaseException)$/, ''))
      ? 'suppresses any error'
      : null;
  }
  if (last === 'catch' && chain.length > 1 && /^(javascript|typescript|tsx)$/.test(file.language)) {
    const [first] = argumentsOf(node);
    const body = first === undefined ? null : childByField(first, 'body');
    return body !== null && !passesOn(file, body) && !usesParameter(file, first)
      ? 'swallows any rejection'
      : null;
  }
  return null;
}

function usesParameter(file: ParsedFile, callback: SyntaxNode | undefined): boolean {
  if (callback === undefined) return false;
  const parameter = childByField(callback, 'parameter') ?? childByField(callback, 'parameters');
  const body = childByField(callback, 'body');
  const name =
    parameter === null ? undefined : [...walk(parameter)].find((each) => each.type === 'identifier');
  if (name === undefined || body === null) return false;
  return findAll(
    body,
    (each) => each.type === 'identifier' && textOf(file, each) === textOf(file, name),
  ).some(
    (use) =>
      use.parent?.parent?.type !== 'call_expression' ||
      !logging.test(chainOf(file, use.parent.parent)[0] ?? ''),
  );
}

function goDrop(file: ParsedFile, node: SyntaxNode): string | null {
  if (node.type === 'assignment_statement' || node.type === 'short_var_declaration') {
    const left = childByField(node, 'left');
    const right = childByField(node, 'right');
    const names =
      left === null ? [] : left.children.filter((child) => child.named).map((child) => textOf(file, child));
    const call = right?.children.find((child) => child.named);
    if (names.at(-1) !== '_' || call === undefined) return null;
    if (names.length === 1)
      return /^err\w*$|Err$/.test(textOf(file, call)) || isCall(call) ? 'drops an error' : null;
    return isCall(call) &&
      !/^(strings|bytes|maps|slices|utf8|path|filepath|sync|runtime|unicode)\./.test(textOf(file, call))
      ? 'drops an error'
      : null;
  }
  if (node.type === 'if_statement') {
    const condition = childByField(node, 'condition');
    const body = childByField(node, 'consequence');
    if (condition === null || body === null || !/\berr\w* *!= *nil/.test(textOf(file, condition)))
      return null;
    const text = textOf(file, body);
    const inner = text.slice(1, -1).replace(/(log|slog|fmt|logger)\.\w+\([^\n]*\)/g, '');
    return /\berr\w*\b|\bErr\w*|errors\.|Errorf|panic|Fatal|\bfail|os\.Exit\([1-9]/i.test(inner)
      ? null
      : 'ignores an error that it has seen';
  }
  if (isCall(node) && textOf(file, node) === 'recover()') return 'stops panics';
  return null;
}

function rustDrop(file: ParsedFile, node: SyntaxNode): string | null {
  if (isCall(node) && node.type === 'call_expression') {
    const chain = chainOf(file, node);
    const last = chain.at(-1) ?? '';
    const fallible = chain
      .slice(0, -1)
      .some((part) =>
        /^(parse|from_str|try_from|try_into|from_utf8|read\w*|write\w*|open|create|send|recv|lock|join|map_err|and_then|from_\w*radix|decode\w*|deserialize|from_slice|get_or_err|execute|connect|wait|try_\w+)$/.test(
          part,
        ),
      );
    if (
      /^(unwrap_or|unwrap_or_default|unwrap_or_else|map_or|map_or_else|ok|or|or_else|is_ok)$/.test(last) &&
      fallible
    )
      return 'turns an error into a value';
    return chain.join('.').endsWith('panic.catch_unwind') || last === 'catch_unwind' ? 'stops panics' : null;
  }
  if (node.type === 'let_declaration') {
    const pattern = childByField(node, 'pattern');
    const value = childByField(node, 'value');
    return pattern !== null && textOf(file, pattern) === '_' && value !== null && isCall(value)
      ? 'drops a result'
      : null;
  }
  if (node.type === 'match_arm' && /^Err\(_\w*\)/.test(textOf(file, node))) {
    return /Err\(|panic|return|\?|bail|Error/.test(textOf(file, node).replace(/^Err\(_\w*\)/, ''))
      ? null
      : 'turns an error into a value';
  }
  return null;
}
