import { chainOf, isCall } from '../../parse/call-chain.ts';
import { signature } from '../../parse/signature.ts';
import {
  ancestors,
  childByField,
  findAll,
  isComment,
  type ParsedFile,
  type SyntaxNode,
  textOf,
} from '../../parse/syntax.ts';

const collections =
  /^(array|list|tuple|set|dictionary|object|literal_value|array_initializer|element_value_array_initializer|array_creation_expression|hash|initializer_expression|array_expression|collection_expression|argument_list)$/;
const mappings = /^(object|dictionary|hash)$/;
const rowAttributes =
  /^\W*(InlineData|DataRow|TestCase|TestWith|case|test_case|CsvSource|ValueSource|MemberData)\b/;

/**
 * Whether the head's node is the base's node with nothing but rows added to tables of cases: literals that are looped over,
 * or given to a parametrising marker, and attributes that stand for one case each.
 */
export function addsRowsOnly(base: ParsedFile, old: SyntaxNode, head: ParsedFile, now: SyntaxNode): boolean {
  if (signature(base, old) === signature(head, now)) return true;
  if (old.type !== now.type) return false;
  const before = parts(old);
  const after = parts(now);
  if (before.length === 0 || after.length === 0) return false;
  if (collections.test(old.type) && isTable(base, old) && isTable(head, now))
    return rowsKept(base, before, head, after, mappings.test(old.type));
  const rest = after.filter((node) => !isRowAttribute(head, node));
  const fixed = before.filter((node) => !isRowAttribute(base, node));
  if (fixed.length < before.length && after.length > before.length) {
    const rows = after.filter((node) => isRowAttribute(head, node));
    const kept = isSubsequence(
      before.filter((node) => isRowAttribute(base, node)).map((node) => signature(base, node)),
      rows.map((node) => signature(head, node)),
    );
    return kept && pairwise(base, fixed, head, rest);
  }
  return pairwise(base, before, head, after);
}

function parts(node: SyntaxNode): SyntaxNode[] {
  return node.children.filter((child) => !isComment(child) && child.type !== ',');
}

function pairwise(
  base: ParsedFile,
  before: readonly SyntaxNode[],
  head: ParsedFile,
  after: readonly SyntaxNode[],
): boolean {
  return (
    before.length === after.length &&
    before.every((node, index) => addsRowsOnly(base, node, head, after[index] as SyntaxNode))
  );
}

function isRowAttribute(file: ParsedFile, node: SyntaxNode): boolean {
  return (
    /^(attribute_list|attribute_item|attribute)$/.test(node.type) && rowAttributes.test(textOf(file, node))
  );
}

function rowsKept(
  base: ParsedFile,
  before: readonly SyntaxNode[],
  head: ParsedFile,
  after: readonly SyntaxNode[],
  mapping: boolean,
): boolean {
  const old = before.filter((node) => node.named);
  const now = after.filter((node) => node.named);
  if (
    !isSubsequence(
      old.map((node) => signature(base, node)),
      now.map((node) => signature(head, node)),
    )
  )
    return false;
  const types = new Set(old.map((node) => node.type));
  if (
    !now.every((node) => types.has(node.type) || old.length === 0) ||
    now.some((node) => /spread|splat/.test(node.type) && old.length < now.length)
  )
    return false;
  if (!mapping) return true;
  // A key that stands twice takes the earlier row away.
  const keys = now.map((node) => signature(head, childByField(node, 'key') ?? node.children[0] ?? node));
  return new Set(keys).size === keys.length;
}

export function isSubsequence(wanted: readonly string[], given: readonly string[]): boolean {
  let at = 0;
  for (const each of given) if (at < wanted.length && wanted[at] === each) at++;
  return at === wanted.length;
}

const parametrisers =
  /^(each|parametrize|expand|data|params|CsvSource|ValueSource|EnumSource|TestWith|cases|parameterized|with|theory|test_each|for)$/;
const loops =
  /^(for_statement|for_in_statement|for|enhanced_for_statement|foreach_statement|for_each_statement|for_expression|range_clause)$/;

/** Whether a literal is a table of cases by where it stands. */
function isTable(file: ParsedFile, literal: SyntaxNode): boolean {
  let child = literal;
  for (const parent of ancestors(literal)) {
    if (loops.test(parent.type))
      return (
        child.field === 'right' ||
        child.field === 'value' ||
        child.field === 'collection' ||
        parent.type === 'foreach_statement'
      );
    if (isCall(parent)) {
      const chain = chainOf(file, parent);
      if (child.field === 'receiver' || child.field === 'function' || child.field === 'object')
        return /^(each|forEach|each_with_index|for_each)$/.test(chain.at(-1) ?? '');
      return (
        chain.some((part) => parametrisers.test(part)) ||
        (/^(of|stream|asList)$/i.test(chain.at(-1) ?? '') && isTable(file, parent))
      );
    }
    if (/^(annotation|attribute|decorator)$/.test(parent.type))
      return parametrisers.test(
        chainOf(file, childByField(parent, 'name') ?? parent.children[1] ?? parent).at(-1) ?? '',
      );
    if (
      /^(variable_declarator|assignment|short_var_declaration|const_spec|var_spec|let_declaration|const_element|property_element|const_item|static_item)$/.test(
        parent.type,
      )
    )
      return isLoopedName(file, parent, literal);
    if (/^(return_statement|return)$/.test(parent.type)) return isProvider(file, parent);
    if (
      /^(expression_list|annotation_argument_list|element_value_pair|attribute_argument_list|attribute_argument|composite_literal|member_expression|literal_element|parenthesized_expression|as_expression|satisfies_expression|array_creation_expression|reference_expression|arguments|argument|argument_list|call|macro_invocation|generic_type|collection_expression|implicit_array_creation_expression)$/.test(
        parent.type,
      )
    ) {
      child = parent;
      continue;
    }
    return false;
  }
  return false;
}

/** Every use of the name that the literal is given is one in which a table stands. */
function isLoopedName(file: ParsedFile, declaration: SyntaxNode, literal: SyntaxNode): boolean {
  const left =
    childByField(declaration, 'name') ??
    childByField(declaration, 'left') ??
    childByField(declaration, 'pattern') ??
    declaration.children[0];
  if (left === null || left === undefined) return false;
  const name = textOf(file, left);
  const uses = findAll(
    file.root,
    (node) =>
      node.children.length === 0 &&
      node.start !== left.start &&
      textOf(file, node) === name &&
      (node.end <= literal.start || node.start >= literal.end),
  ).filter((node) => node.start < left.start || node.end > left.end);
  return uses.length > 0 && uses.every((use) => isIterated(file, use));
}

function isIterated(file: ParsedFile, use: SyntaxNode): boolean {
  const parent = use.parent;
  if (parent === null) return false;
  if (loops.test(parent.type))
    return (
      use.field === 'right' ||
      use.field === 'value' ||
      use.field === 'collection' ||
      parent.type === 'foreach_statement'
    );
  if (
    /^(member_expression|call|field_expression|selector_expression)$/.test(parent.type) &&
    parent.children[0] === use
  ) {
    return /^(each|forEach|each_with_index|iter)$/.test(chainOf(file, parent).at(-1) ?? '');
  }
  for (const each of ancestors(use)) {
    if (isCall(each)) return chainOf(file, each).some((part) => parametrisers.test(part));
    if (
      /^(list_comprehension|for_in_clause|reference_expression|expression_list|arguments|argument_list|keyword_argument|unary_expression)$/.test(
        each.type,
      )
    )
      continue;
    return /^decorator$/.test(each.type);
  }
  return false;
}

/** A function that a marker or docblock names as a provider of cases. */
function isProvider(file: ParsedFile, statement: SyntaxNode): boolean {
  const owner = [...ancestors(statement)].find((node) =>
    /method_declaration|method|function/.test(node.type),
  );
  const name = owner === undefined ? null : childByField(owner, 'name');
  if (name === null) return false;
  const text = textOf(file, name);
  return new RegExp(
    `(@dataProvider\\s+|DataProvider\\(\\s*['"]|MethodSource\\(\\s*"|TestCaseSource\\(|MemberData\\()[^)\\n]*\\b${text.replace(/\W/g, '')}\\b`,
  ).test(file.text);
}
