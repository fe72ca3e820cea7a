import { chainOf, isCall } from '../../parse/call-chain.ts';
import { signature } from '../../parse/signature.ts';
import {
  ancestors,
  childByField,
  findAll,
  type ParsedFile,
  type SyntaxNode,
  textOf,
  walk,
} from '../../parse/syntax.ts';
import { isConstantWord } from '../tests/literals.ts';
import { type Signal, signal } from './signal.ts';

const names =
  /^(__eq__|__ne__|__lt__|__le__|__gt__|__ge__|__contains__|__instancecheck__|equals|Equals|isEqual|isEqualTo|equalTo|eq|ne|partial_cmp|cmp|==|===|!=|eql\?|equal\?|<=>|=~|compareTo|CompareTo|hashCode|__eq|sameValue|deepEqual)$/;
const protocols =
  /asymmetricMatch|asymmetricMatcher|jest\.asymmetric|^toPrimitive$|^@@toPrimitive$|inspect\.custom|__instancecheck__|__subclasscheck__|toAsymmetricMatcher|nodejs\.util\.inspect/;

interface Equality {
  readonly owner: string;
  readonly node: SyntaxNode;
  readonly members: ReadonlySet<string>;
}

/** Equality that says yes: methods with a constant answer, without a comparison, or matcher protocols. */
export function equalitySignals(file: ParsedFile): Signal[] {
  const found: Signal[] = [];
  for (const { node, owner } of equalities(file)) {
    if (/^(__ne__|hashCode|!=)$/.test(nameText(file, node)) && !constantAnswer(file, node)) continue;
    if (constantAnswer(file, node))
      found.push(signal(file, 'equality-overloaded', node, `makes ${owner || 'values'} equal to anything`));
    else if (!comparesBoth(file, node))
      found.push(
        signal(file, 'equality-overloaded', node, `compares ${owner || 'values'} without looking at both`),
      );
  }
  for (const node of walk(file.root)) {
    if (node.children.length === 0 && !/comment/.test(node.type) && protocols.test(textOf(file, node))) {
      found.push(
        signal(file, 'equality-overloaded', node.parent ?? node, 'answers the protocol of a matcher'),
      );
    }
  }
  return found;
}

/** Equality methods of both sides by owner and name: the head's look at fewer members than the base's. */
export function narrowedEquality(base: ParsedFile, head: ParsedFile): Signal[] {
  const old = new Map(equalities(base).map((each) => [overload(base, each), each]));
  return equalities(head).flatMap((each) => {
    const before = old.get(overload(head, each));
    const lost =
      before === undefined ? undefined : [...before.members].find((member) => !each.members.has(member));
    return lost === undefined
      ? []
      : [signal(head, 'equality-overloaded', each.node, `no longer compares ${lost}`)];
  });
}

function overload(file: ParsedFile, each: Equality): string {
  const parameters = childByField(each.node, 'parameters');
  return [each.owner, nameText(file, each.node), parameters === null ? '' : signature(file, parameters)].join(
    ' ',
  );
}

function nameText(file: ParsedFile, node: SyntaxNode): string {
  const name = childByField(node, 'name') ?? childByField(node, 'operator') ?? childByField(node, 'key');
  return name === null ? '' : textOf(file, name);
}

function equalities(file: ParsedFile): Equality[] {
  return findAll(file.root, (node) =>
    /^(function_definition|method_definition|function_item|method_declaration|operator_declaration|method|function_declaration|pair)$/.test(
      node.type,
    ),
  )
    .filter(
      (node) =>
        names.test(nameText(file, node)) &&
        (childByField(node, 'body') ?? childByField(node, 'value') ?? arrowBody(node)) !== null,
    )
    .filter((node) => node.type !== 'pair' || /function/.test(childByField(node, 'value')?.type ?? ''))
    .map((node) => ({ node, owner: ownerOf(file, node), members: membersOf(file, node) }));
}

function arrowBody(node: SyntaxNode): SyntaxNode | null {
  return node.children.find((child) => child.type === 'arrow_expression_clause') ?? null;
}

function ownerOf(file: ParsedFile, node: SyntaxNode): string {
  for (const parent of ancestors(node)) {
    if (parent.type === 'impl_item') return textOf(file, childByField(parent, 'type') ?? parent).slice(0, 60);
    const name = childByField(parent, 'name');
    if (name !== null && /class|struct|record|module|trait|interface|enum/.test(parent.type))
      return textOf(file, name);
  }
  return '';
}

/** Names of members that a method reads. */
function membersOf(file: ParsedFile, node: SyntaxNode): ReadonlySet<string> {
  const found = new Set<string>();
  for (const each of walk(childByField(node, 'body') ?? node)) {
    if (each.children.length > 0 || !/identifier|^name$|integer_literal|instance_variable/.test(each.type))
      continue;
    if (
      /^(field|attribute|property|name)$/.test(each.field ?? '') ||
      /field_identifier|property_identifier|instance_variable/.test(each.type) ||
      each.type === 'identifier'
    ) {
      found.add(textOf(file, each));
    }
  }
  for (const local of ['self', 'other', 'this', 'obj', 'o', 'that']) found.delete(local);
  return found;
}

/** Every answer of the method is a constant, or it has but one and that is "equal". */
function constantAnswer(file: ParsedFile, node: SyntaxNode): boolean {
  const body = childByField(node, 'body') ?? childByField(node, 'value') ?? arrowBody(node);
  if (body === null) return false;
  const answers = answersOf(file, body);
  const plain = answers.filter((each) => !/NotImplemented|NotImplementedError/.test(each));
  return (
    plain.length > 0 &&
    plain.every((each) =>
      /^(true|True|TRUE|0|1|!0|Some\(Ordering::Equal\)|Some\(std::cmp::Ordering::Equal\)|Ordering::Equal|!!1)$/.test(
        each.trim(),
      ),
    )
  );
}

function answersOf(file: ParsedFile, body: SyntaxNode): string[] {
  const returns = findAll(
    body,
    (node) => node.named && /^(return_statement|return|return_expression)$/.test(node.type),
  ).map((node) =>
    textOf(file, node)
      .replace(/^return\b/, '')
      .replace(/;$/, '')
      .trim(),
  );
  if (returns.length > 0 && !/^(ruby|rust)$/.test(file.language)) return returns;
  const last = body.children.findLast((child) => child.named && !/comment/.test(child.type));
  if (isConstantWord(body) || !/block|body|clause/.test(body.type))
    return [...returns, textOf(file, body).replace(/^=>\s*/, '')];
  return last === undefined
    ? returns
    : [
        ...returns,
        textOf(file, last)
          .replace(/^return\b/, '')
          .replace(/;$/, '')
          .trim(),
      ];
}

function comparesBoth(file: ParsedFile, node: SyntaxNode): boolean {
  const body = childByField(node, 'body') ?? childByField(node, 'value') ?? arrowBody(node);
  if (body === null) return true;
  const compares = findAll(
    body,
    (each) =>
      /^(binary_expression|comparison_operator|binary|binary_operator|infix_expression|instanceof_expression|is_pattern_expression)$/.test(
        each.type,
      ) ||
      (isCall(each) &&
        /^(equals|Equals|eq|ne|eql\?|equal\?|isEqual|is|deepEqual|isDeepStrictEqual|compare|compareTo|CompareTo|SequenceEqual|every|hash|super|__eq__|cmp|partial_cmp|matches)$/.test(
          chainOf(file, each).at(-1) ?? '',
        )) ||
      /macro_invocation|match_expression|super/.test(each.type),
  );
  return compares.some((each) => {
    const [left, right] = each.children.filter((child) => child.named);
    if (left === undefined || right === undefined) return true;
    return signature(file, left) !== signature(file, right);
  });
}
