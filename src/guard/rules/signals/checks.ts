import { chainOf, isCall } from '../../parse/call-chain.ts';
import { type ParsedFile, type SyntaxNode, textOf, walk } from '../../parse/syntax.ts';
import { insideItems, rustTestItems } from '../rust-tests.ts';

/** How many statements of each kind refuse an input or pass an error on. Counted, because a check may move or change its words. */
export function countChecks(file: ParsedFile): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const tests = file.language === 'rust' ? rustTestItems(file) : [];
  for (const node of walk(file.root)) {
    const kind = kindOfCheck(file, node);
    if (kind !== null && !insideItems(tests, node)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

function kindOfCheck(file: ParsedFile, node: SyntaxNode): string | null {
  if (!node.named) return null;
  if (/^(throw_statement|throw_expression|raise_statement)$/.test(node.type)) return 'throw';
  if (/^(assert_statement)$/.test(node.type)) return 'assertion';
  if (
    file.language === 'ruby' &&
    node.type === 'call' &&
    /^(raise|fail)$/.test(chainOf(file, node).join('.'))
  )
    return 'throw';
  if (
    node.type === 'try_expression' ||
    (file.language === 'rust' &&
      isCall(node) &&
      /^(bail!?|ensure!?|panic|Err|assert\w*)$/.test(chainOf(file, node).join('.')))
  )
    return 'error return';
  if (file.language === 'go' && node.type === 'return_statement') {
    return /\b(err\w*|Err\w+|errors\.New|fmt\.Errorf|errors\.\w+)\b/.test(textOf(file, node))
      ? 'error return'
      : null;
  }
  if (
    isCall(node) &&
    /^(assert|assert\.\w+|console\.assert|invariant|Preconditions\.\w+|Objects\.requireNonNull|Debug\.Assert|Contract\.\w+|ArgumentNullException\.\w+|ArgumentOutOfRangeException\.\w+|panic)$/.test(
      chainOf(file, node).join('.'),
    )
  )
    return 'assertion';
  return null;
}

/** Names of parameters that a function takes and reads, by function. */
export function readParameters(file: ParsedFile): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const node of walk(file.root)) {
    if (
      !/^(function_definition|function_declaration|method_definition|function_item|method_declaration|method|func_literal|generator_function_declaration)$/.test(
        node.type,
      )
    )
      continue;
    const name = node.children.find((child) => child.field === 'name');
    const parameters = node.children.find((child) => child.field === 'parameters');
    const body = node.children.find((child) => child.field === 'body');
    if (name === undefined || parameters === undefined || body === undefined) continue;
    const names = leafNames(file, parameters);
    const read = new Set([...leafNames(file, body)].filter((each) => names.has(each)));
    found.set(textOf(file, name), read);
  }
  return found;
}

function leafNames(file: ParsedFile, node: SyntaxNode): ReadonlySet<string> {
  const names = new Set<string>();
  for (const each of walk(node)) {
    if (
      each.children.length === 0 &&
      /^(identifier|name|shorthand_property_identifier(_pattern)?)$/.test(each.type) &&
      each.field !== 'type'
    )
      names.add(textOf(file, each));
  }
  return names;
}
