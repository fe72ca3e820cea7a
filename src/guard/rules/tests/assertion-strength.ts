import { argumentsOf, chainOf, isCall, isFunctionLiteral, macroArguments } from '../../parse/call-chain.ts';
import { signature } from '../../parse/signature.ts';
import {
  childByField,
  contains,
  type ParsedFile,
  type SyntaxNode,
  textOf,
  walk,
} from '../../parse/syntax.ts';
import { failing } from './is-assertion.ts';
import { isConstantWord, isLiteral } from './literals.ts';

/** How much an assertion says: it compares, asks whether something is there, cannot fail, or compares the code with itself. */
export type Strength = 'compares' | 'presence' | 'tautology' | 'self-oracle';

const presence =
  /^(toBeDefined|toBeTruthy|toBeInstanceOf|hasattr|callable|isinstance|assertIsNotNone|assertNotNull|NotNull|IsNotNull|NotNil|assert_not_nil|refute_nil|respond_to|assert_respond_to|toHaveProperty|be_truthy|assertInstanceOf|method_exists|function_exists|class_exists|assertTrue|exist|isDefined|assertIsInstance|not_to_be_nil|toBeTypeOf|any|anything|be_a|be_an|be_kind_of|be_an_instance_of)$/;

export function strengthOf(file: ParsedFile, node: SyntaxNode, test: SyntaxNode): Strength {
  if (/^(throw|raise)_statement$/.test(node.type)) return 'compares';
  const chain = isCall(node) ? chainOf(file, node) : [];
  if (failing.test(chain.at(-1) ?? '')) return 'compares';
  const operands = operandsOf(file, node);
  if (operands.length > 0 && operands.every((each) => each.constant)) return 'tautology';
  const texts = operands.map((each) => each.text);
  if (texts.length >= 2 && texts[0] === texts[1]) return 'tautology';
  if (alwaysTrue(file, node)) return 'tautology';
  const initial = operands.slice(0, 2).map((each) => initializerOf(file, test, each.text) ?? each.text);
  if (texts.length >= 2 && initial[0] === initial[1]) return 'self-oracle';
  const weak = contains(node, (each) => presence.test(textOf(file, each)) && each.children.length === 0);
  const typed = contains(node, (each) => /^(typeof)$/.test(each.type));
  return weak || typed ? 'presence' : 'compares';
}

interface Operand {
  readonly text: string;
  readonly constant: boolean;
}

/** What an assertion compares: both sides of a comparison, or the arguments, those of `expect(…)` included. */
function operandsOf(file: ParsedFile, node: SyntaxNode): Operand[] {
  if (node.type === 'macro_invocation') {
    return macroArguments(node).map((tokens) => ({
      text: tokens.map((token) => signature(file, token)).join(' '),
      constant: tokens.every((token) => isLiteral(token)),
    }));
  }
  if (node.type === 'assert_statement') {
    const subject = node.children.find((child) => child.named);
    return subject === undefined ? [] : sides(file, subject);
  }
  const own = argumentsOf(node).filter((each) => !isFunctionLiteral(each));
  const inner = [...walk(node)].filter(
    (each) => each !== node && isCall(each) && /^expect$/.test(chainOf(file, each).join('.')),
  );
  const expected = inner.flatMap((each) => argumentsOf(each));
  const matched = own.flatMap((each) =>
    isCall(each) && inner.length > 0 && chainOf(file, each).length === 1 ? argumentsOf(each) : [each],
  );
  const all = [...expected.filter((each) => !own.includes(each)), ...matched];
  const [single] = all;
  return all.length === 1 && single !== undefined
    ? sides(file, single)
    : all.map((each) => operand(file, each));
}

function sides(file: ParsedFile, node: SyntaxNode): Operand[] {
  if (/^(binary_expression|comparison_operator|binary|binary_operator)$/.test(node.type)) {
    const named = node.children.filter((child) => child.named && child.field !== 'operators');
    if (named.length === 2) return named.map((each) => operand(file, each));
  }
  return [operand(file, node)];
}

function operand(file: ParsedFile, node: SyntaxNode): Operand {
  return { text: signature(file, node), constant: isLiteral(node) };
}

function alwaysTrue(file: ParsedFile, node: SyntaxNode): boolean {
  return contains(node, (each) => {
    if (!/^(binary_expression|boolean_operator|binary)$/.test(each.type)) return false;
    const joined = each.children.some((child) => /^(\|\||or)$/.test(child.type));
    return (
      joined &&
      each.children.some((child) => child.named && isConstantWord(child) && /true/i.test(textOf(file, child)))
    );
  });
}

/** What a local name is given where that happens exactly once in the test. */
function initializerOf(file: ParsedFile, test: SyntaxNode, name: string): string | null {
  if (!/^[$\w]+$/.test(name)) return null;
  const given = [...walk(test)].filter((node) => {
    if (
      !/^(variable_declarator|assignment|let_declaration|short_var_declaration|assignment_expression)$/.test(
        node.type,
      )
    )
      return false;
    const left = childByField(node, 'name') ?? childByField(node, 'left') ?? childByField(node, 'pattern');
    return left !== null && textOf(file, left) === name;
  });
  const [only] = given;
  if (only === undefined || given.length !== 1) return null;
  const value =
    childByField(only, 'value') ??
    childByField(only, 'right') ??
    only.children.findLast((child) => child.named);
  return value === undefined || value === null ? null : signature(file, value);
}
