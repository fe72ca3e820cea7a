import { chainOf, isCall } from '../../parse/call-chain.ts';
import {
  ancestors,
  childByField,
  contains,
  type ParsedFile,
  type SyntaxNode,
  textOf,
} from '../../parse/syntax.ts';
import { failing, isAssertion } from './is-assertion.ts';

/** What keeps an assertion from failing its test; null when nothing does. */
export type Kept = 'swallowed' | 'conditional' | 'never-reached' | 'not-awaited' | null;

/** Looks from an assertion outwards to the test for what keeps it from being reached or heard. */
export function keptBy(
  file: ParsedFile,
  node: SyntaxNode,
  test: SyntaxNode,
  helpers: ReadonlySet<string>,
): Kept {
  let child = node;
  const chain = isCall(node) ? chainOf(file, node) : [];
  // A call that fails the test is the branch of a condition by nature: the nearest one is its assertion.
  let spare = failing.test(chain.at(-1) ?? '') || /^(throw|raise)_statement$/.test(node.type) ? 1 : 0;
  if (notAwaited(file, node, chain)) return 'not-awaited';
  if (node === test) return null;
  for (const parent of ancestors(node)) {
    const kept = keptHere(file, parent, child, helpers);
    if (kept === 'conditional' && spare > 0) spare -= 1;
    else if (kept !== null) return kept;
    if (parent === test || child === test) break;
    child = parent;
  }
  return null;
}

function notAwaited(file: ParsedFile, node: SyntaxNode, chain: readonly string[]): boolean {
  if (!/^(javascript|typescript|tsx)$/.test(file.language)) return false;
  const promised = chain.some((part) => /^(rejects|resolves|doesNotReject)$/.test(part));
  return promised && node.parent?.type === 'expression_statement';
}

function keptHere(
  file: ParsedFile,
  parent: SyntaxNode,
  child: SyntaxNode,
  helpers: ReadonlySet<string>,
): Kept {
  if (/^(try_statement|begin|body_statement|begin_block|try_with_resources_statement)$/.test(parent.type)) {
    const handlers = parent.children.filter((each) =>
      /^(catch_clause|except_clause|except_group_clause|rescue|catch)$/.test(each.type),
    );
    if (handlers.includes(child)) return 'conditional';
    const swallows = handlers.some(
      (handler) =>
        !contains(
          handler,
          (each) => each !== handler && (isAssertion(file, each, helpers) || isRethrow(file, each)),
        ),
    );
    if (swallows && !/finally|ensure|else/.test(child.type)) return 'swallowed';
  }
  if (parent.type === 'with_statement' && /\bsuppress\b/.test(textOf(file, parent).split('\n')[0] ?? ''))
    return 'swallowed';
  if (/^(rescue_modifier|if_modifier|unless_modifier)$/.test(parent.type))
    return parent.type === 'rescue_modifier' ? 'swallowed' : 'conditional';
  if (
    /^(if_statement|if|unless|if_expression|if_let_expression|conditional|ternary_expression|conditional_expression|switch_statement|switch_expression|match_expression|match_statement|case|expression_switch_statement|type_switch_statement)$/.test(
      parent.type,
    )
  ) {
    return childByField(parent, 'condition') === child || hasElse(parent) ? null : 'conditional';
  }
  if (
    /^(for_statement|for_in_statement|for|while|while_statement|enhanced_for_statement|foreach_statement|for_each_statement|for_expression)$/.test(
      parent.type,
    )
  ) {
    return emptyLoop(file, parent) ? 'never-reached' : null;
  }
  if (
    isCall(parent) &&
    child.type.startsWith('argument') &&
    /^(catch|setTimeout|setInterval|setImmediate|on|once|nextTick)$/.test(chainOf(file, parent).at(-1) ?? '')
  ) {
    return 'not-awaited';
  }
  if (
    isCall(parent) &&
    /^(forEach|each|map)$/.test(chainOf(file, parent).at(-1) ?? '') &&
    emptySource(file, parent.children[0] ?? parent)
  )
    return 'never-reached';
  return afterExit(parent, child) ? 'never-reached' : null;
}

function isRethrow(file: ParsedFile, node: SyntaxNode): boolean {
  return (
    /^(throw_statement|raise_statement|throw_expression)$/.test(node.type) ||
    (node.type === 'identifier' && textOf(file, node) === 'raise')
  );
}

function hasElse(node: SyntaxNode): boolean {
  return node.children.some((child) => /else|default/.test(child.type) || child.field === 'alternative');
}

function emptyLoop(file: ParsedFile, loop: SyntaxNode): boolean {
  const clause = loop.children.find((child) => child.type === 'range_clause') ?? loop;
  const source =
    childByField(clause, 'right') ?? childByField(clause, 'value') ?? childByField(clause, 'collection');
  return source !== null && emptySource(file, source, loop);
}

/** Whether what is looped over is empty, or was picked by a condition that may pick nothing. */
function emptySource(file: ParsedFile, source: SyntaxNode, loop: SyntaxNode = source): boolean {
  const text = textOf(file, source);
  if (/^(\[\s*\]|\(\s*\)|\{\s*\}|range\(0\)|\w*\{\})$/.test(text)) return true;
  if (
    /\.(filter|select|reject|grep|find_all|Where)\b|\bif\b.*\]$|array_filter|slice\(0, *0\)|\[:0\]/.test(text)
  )
    return true;
  if (!/^[$\w]+$/.test(text)) return false;
  for (const scope of ancestors(loop)) {
    const value = initializerText(file, scope, text);
    if (value !== null) return emptyText(value);
  }
  return false;
}

function emptyText(value: string): boolean {
  return (
    /^(\[\s*\]|\(\s*\)|\{\s*\}|array\(\))$/.test(value) ||
    /\.(filter|select|reject|grep|Where)\(|\bif\b.*\]$|array_filter/.test(value)
  );
}

function initializerText(file: ParsedFile, scope: SyntaxNode, name: string): string | null {
  for (const node of scope.children) {
    for (const each of node.children.length > 0 ? [node, ...node.children] : [node]) {
      if (
        !/^(variable_declarator|assignment|let_declaration|short_var_declaration|assignment_expression)$/.test(
          each.type,
        )
      )
        continue;
      const left = childByField(each, 'name') ?? childByField(each, 'left') ?? childByField(each, 'pattern');
      const value = childByField(each, 'value') ?? childByField(each, 'right');
      if (left !== null && value !== null && textOf(file, left) === name) return textOf(file, value);
    }
  }
  return null;
}

/** Whether a statement before this one in the same block always leaves it. */
function afterExit(parent: SyntaxNode, child: SyntaxNode): boolean {
  const index = parent.children.indexOf(child);
  return parent.children
    .slice(0, index)
    .some((each) =>
      /^(return_statement|return|break_statement|continue_statement|throw_statement|raise_statement)$/.test(
        each.type,
      ),
    );
}
